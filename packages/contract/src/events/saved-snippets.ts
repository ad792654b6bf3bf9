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
});

export const savedSnippetUpdated = event({
  type: "saved_snippets",
  op: "update",
  about: "The account has changed a snippet: all of it.",
  to: "some",
  receivers: "the account",
  fields: { saved_snippet: savedSnippet },
});

export const savedSnippetRemoved = event({
  type: "saved_snippets",
  op: "remove",
  about: "The account has deleted a snippet.",
  to: "some",
  receivers: "the account",
  fields: { saved_snippet_id: z.int() },
});
