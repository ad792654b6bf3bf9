import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /drafts/{draft_id}` (clients.md §4). */
export const deleteDraft = operation({
  id: "delete-draft",
  method: "DELETE",
  path: "/api/v1/drafts/{draft_id}",
  pathParams: { draft_id: path.int() },
  access: "account",
  summary: "Delete a draft",
  missingIs404: true,
});
