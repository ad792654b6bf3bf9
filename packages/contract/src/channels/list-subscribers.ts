import { z } from "zod";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /streams/{stream_id}/members` (channels.md §7). */
export const listSubscribers = operation({
  id: "list-subscribers",
  method: "GET",
  path: "/api/v1/streams/{stream_id}/members",
  access: "account",
  summary: "List a channel's subscribers",
  pathParams: { stream_id: path.int() },
  result: {
    /** IDs of active accounts, ascending. */
    subscribers: z.array(z.int()),
  },
});
