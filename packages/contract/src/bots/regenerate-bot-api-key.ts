import { z } from "zod";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `POST /bots/{bot_id}/api_key/regenerate` (users.md §5). */
export const regenerateBotApiKey = operation({
  id: "regenerate-bot-api-key",
  method: "POST",
  path: "/api/v1/bots/{bot_id}/api_key/regenerate",
  access: "account",
  summary: "Get another API key for a bot",
  example: { made: { USER_ID: ["create-bot", "user_id"] }, path: { bot_id: "$USER_ID" } },
  description:
    "For the bot's owner and for administrators of the organization. The old key is refused from then on, everywhere.",
  pathParams: { bot_id: path.int() },
  result: { api_key: z.string() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
