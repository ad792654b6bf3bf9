import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `POST /saved_snippets` (clients.md §4). */
export const createSavedSnippet = operation({
  id: "create-saved-snippet",
  method: "POST",
  path: "/api/v1/saved_snippets",
  access: "account",
  summary: "Create a saved snippet",
  example: { params: { title: "Welcome", content: "Welcome to the team!" } },
  params: {
    title: form.text().describe("At most 60 characters."),
    content: form.text().describe("As long as a message may be."),
  },
  result: { saved_snippet_id: z.int() },
});
