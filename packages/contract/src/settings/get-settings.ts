import { z } from "zod";
import { operation } from "../operation.ts";

/** `GET /settings`: what `PATCH /settings` changes, in the form that the snapshot has it (events.md §1.2). */
export const getSettings = operation({
  id: "get-settings",
  method: "GET",
  path: "/api/v1/settings",
  access: "account",
  summary: "Get one's own settings",
  result: { user_settings: z.record(z.string(), z.unknown()) },
});
