import { z } from "zod";
import { operation } from "../operation.ts";

/** `GET /realm/emoji` (clients.md §4). */
export const listRealmEmoji = operation({
  id: "list-realm-emoji",
  method: "GET",
  path: "/api/v1/realm/emoji",
  access: "account",
  summary: "Get the organization's own emoji",
  description: "By id. No organization has any: they cannot be added yet.",
  result: { emoji: z.strictObject({}) },
});
