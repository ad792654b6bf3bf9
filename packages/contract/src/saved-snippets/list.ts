import { z } from "zod";
import { operation } from "../operation.ts";
import { savedSnippet } from "./snippet-object.ts";

/** `GET /saved_snippets` (clients.md §4). */
export const listSavedSnippets = operation({
  id: "get-saved-snippets",
  method: "GET",
  path: "/api/v1/saved_snippets",
  access: "account",
  summary: "Get all saved snippets",
  result: { saved_snippets: z.array(savedSnippet) },
});
