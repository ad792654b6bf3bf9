import { z } from "zod";
import { mostDrafts } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { givenDraft } from "./draft-object.ts";

/** `POST /drafts` (clients.md §4). */
export const createDrafts = operation({
  id: "create-drafts",
  method: "POST",
  path: "/api/v1/drafts",
  access: "account",
  summary: "Create drafts",
  example: {
    params: { drafts: [{ type: "stream", to: [1], topic: "hello", content: "To be continued" }] },
  },
  params: {
    drafts: form
      .json(z.array(givenDraft), { most: mostDrafts, fractions: true })
      .describe("All or none of them are stored."),
  },
  result: { ids: z.array(z.int()).describe("Of the drafts, in the order given.") },
});
