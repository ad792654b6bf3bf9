import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `PATCH /saved_snippets/{saved_snippet_id}` (clients.md §4). */
export const updateSavedSnippet = operation({
  id: "edit-saved-snippet",
  method: "PATCH",
  path: "/api/v1/saved_snippets/{saved_snippet_id}",
  pathParams: { saved_snippet_id: path.int() },
  access: "account",
  summary: "Edit a saved snippet",
  example: {
    made: { SNIPPET_ID: ["create-saved-snippet", "saved_snippet_id"] },
    path: { saved_snippet_id: "$SNIPPET_ID" },
    params: { title: "Welcome to all" },
  },
  params: {
    title: form.text().optional().describe("At most 60 characters."),
    content: form.text().optional().describe("As long as a message may be."),
  },
  missingIs404: true,
});
