import { z } from "zod";
import { operation } from "../operation.ts";
import { draftResource } from "./draft-object.ts";

/** `GET /drafts` (clients.md §4). */
export const listDrafts = operation({
  id: "get-drafts",
  method: "GET",
  path: "/api/v1/drafts",
  access: "account",
  summary: "Get drafts",
  result: { count: z.int(), drafts: z.array(draftResource) },
});
