import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /messages/{message_id}` (messages.md §6.4). */
export const deleteMessage = operation({
  id: "delete-message",
  method: "DELETE",
  path: "/api/v1/messages/{message_id}",
  access: "account",
  summary: "Delete a message",
  example: {
    as: "owner",
    made: { MESSAGE_ID: ["send-message", "id"] },
    path: { message_id: "$MESSAGE_ID" },
  },
  description:
    "For holders of `can_delete_any_message_group`, of the organization or the channel; and for who wrote the message, " +
    "or owns the bot that did, as a holder of `can_delete_own_message_group` within the organization's time limit.",
  pathParams: { message_id: path.int({ max: maxLongId }) },
});
