import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { givenDraft } from "./draft-object.ts";

/** `PATCH /drafts/{draft_id}` (clients.md §4). */
export const updateDraft = operation({
  id: "edit-draft",
  method: "PATCH",
  path: "/api/v1/drafts/{draft_id}",
  pathParams: { draft_id: path.int() },
  access: "account",
  summary: "Edit a draft",
  example: {
    made: { DRAFT_ID: ["create-drafts", "ids"] },
    path: { draft_id: "$DRAFT_ID" },
    params: { draft: { type: "stream", to: [1], topic: "hello", content: "Continued" } },
  },
  params: { draft: form.json(givenDraft, { fractions: true }).describe("All of it.") },
  missingIs404: true,
});
