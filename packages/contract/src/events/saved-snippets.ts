import { z } from "zod";
import { savedSnippet } from "../operations/saved-snippets.ts";
import { event } from "./event.ts";

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
