import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";

/** Maximum number of snippets of one account: each registration returns all of them. */
export const maxSavedSnippets = 1_000;

/** A saved snippet, as clients get it. */
export const savedSnippet = z.strictObject({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  /** UNIX seconds */
  date_created: z.int(),
});

export type SavedSnippet = z.output<typeof savedSnippet>;

/** `GET /saved_snippets` (clients.md §4). */
export const listSavedSnippets = operation({
  id: "get-saved-snippets",
  method: "GET",
  path: "/api/v1/saved_snippets",
  access: "account",
  summary: "Get all saved snippets",
  result: { saved_snippets: z.array(savedSnippet) },
});

/** `POST /saved_snippets` (clients.md §4). */
export const createSavedSnippet = operation({
  id: "create-saved-snippet",
  method: "POST",
  path: "/api/v1/saved_snippets",
  access: "account",
  idempotencyKey: true,
  summary: "Create a saved snippet",
  example: { params: { title: "Welcome", content: "Welcome to the team!" } },
  params: {
    title: form.text().describe("At most 60 characters."),
    content: form.text().describe("As long as a message may be."),
  },
  result: { saved_snippet_id: z.int() },
});

/** `PATCH /saved_snippets/{saved_snippet_id}` (clients.md §4). */
export const updateSavedSnippet = operation({
  id: "edit-saved-snippet",
  method: "PATCH",
  path: "/api/v1/saved_snippets/{saved_snippet_id}",
  pathParams: { saved_snippet_id: path.int() },
  access: "account",
  idempotencyKey: true,
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

/** `DELETE /saved_snippets/{saved_snippet_id}` (clients.md §4). */
export const deleteSavedSnippet = operation({
  id: "delete-saved-snippet",
  method: "DELETE",
  path: "/api/v1/saved_snippets/{saved_snippet_id}",
  pathParams: { saved_snippet_id: path.int() },
  access: "account",
  idempotencyKey: true,
  summary: "Delete a saved snippet",
  example: {
    made: { SNIPPET_ID: ["create-saved-snippet", "saved_snippet_id"] },
    path: { saved_snippet_id: "$SNIPPET_ID" },
  },
  missingIs404: true,
});

export const savedSnippetAdded = event({
  type: "saved_snippets",
  op: "add",
  about: "The account has saved a snippet.",
  to: "some",
  receivers: "the account",
  fields: { saved_snippet: savedSnippet },
  snapshot: { list: "saved_snippets", by: "id", adds: "saved_snippet" },
});

export const savedSnippetUpdated = event({
  type: "saved_snippets",
  op: "update",
  about: "The account has changed a snippet: the event has the whole snippet.",
  to: "some",
  receivers: "the account",
  fields: { saved_snippet: savedSnippet },
  snapshot: { list: "saved_snippets", by: "id", replaces: "saved_snippet" },
});

export const savedSnippetRemoved = event({
  type: "saved_snippets",
  op: "remove",
  about: "The account has deleted a snippet.",
  to: "some",
  receivers: "the account",
  fields: { saved_snippet_id: z.int() },
  snapshot: { list: "saved_snippets", by: "id", removes: "saved_snippet_id" },
});
