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
  example: { made: { DRAFT_ID: ["create-drafts", "ids"] }, path: { draft_id: "$DRAFT_ID" } },
  missingIs404: true,
});
