import { operation } from "../operation.ts";
import { markedRead } from "./marked-read.ts";

/** `POST /mark_all_as_read` (messages.md §7). */
export const markAllRead = operation({
  id: "mark-all-as-read",
  method: "POST",
  path: "/api/v1/mark_all_as_read",
  access: "account",
  summary: "Mark all messages as read",
  description: "All that the caller has received, muted or not, also in channels that it has left.",
  params: {},
  result: markedRead,
});
