import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /saved_snippets/{saved_snippet_id}` (clients.md §4). */
export const deleteSavedSnippet = operation({
  id: "delete-saved-snippet",
  method: "DELETE",
  path: "/api/v1/saved_snippets/{saved_snippet_id}",
  pathParams: { saved_snippet_id: path.int() },
  access: "account",
  summary: "Delete a saved snippet",
  example: {
    made: { SNIPPET_ID: ["create-saved-snippet", "saved_snippet_id"] },
    path: { saved_snippet_id: "$SNIPPET_ID" },
  },
  missingIs404: true,
});
