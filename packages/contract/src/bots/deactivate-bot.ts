import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /bots/{bot_id}` (users.md §5). */
export const deactivateBot = operation({
  id: "deactivate-bot",
  method: "DELETE",
  path: "/api/v1/bots/{bot_id}",
  access: "account",
  summary: "Deactivate a bot",
  example: { made: { USER_ID: ["create-bot", "user_id"] }, path: { bot_id: "$USER_ID" } },
  description: "For the bot's owner and for administrators of the organization.",
  pathParams: { bot_id: path.int() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
