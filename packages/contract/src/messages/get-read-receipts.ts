import { z } from "zod";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /messages/{message_id}/read_receipts` (messages.md §6.6). */
export const getReadReceipts = operation({
  id: "get-read-receipts",
  method: "GET",
  path: "/api/v1/messages/{message_id}/read_receipts",
  access: "account",
  summary: "Get who has read a message",
  example: { made: { MESSAGE_ID: ["send-message", "id"] }, path: { message_id: "$MESSAGE_ID" } },
  description:
    "Active accounts that let it be known (`send_read_receipts`), never the sender, and nobody who has muted the " +
    "caller or whom the caller has muted.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
  result: { user_ids: z.array(z.int()).describe("Ascending.") },
});
