import { z } from "zod";
import { operation } from "../operation.ts";
import { presences } from "./presence-object.ts";

/** `GET /realm/presence` (clients.md §4). */
export const listPresences = operation({
  id: "list-presences",
  method: "GET",
  path: "/api/v1/realm/presence",
  access: "account",
  summary: "Get everybody's presence",
  description: "By e-mail address, of those who were connected within the last 14 days.",
  result: {
    presences,
    /** UNIX seconds with a fraction. */
    server_timestamp: z.number(),
  },
});
