import { z } from "zod";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /bots/{bot_id}/api_key` (users.md §5). */
export const getBotApiKey = operation({
  id: "get-bot-api-key",
  method: "GET",
  path: "/api/v1/bots/{bot_id}/api_key",
  access: "account",
  summary: "Get a bot's API key",
  example: { as: "owner" },
  description:
    "For the bot's owner and for administrators of the organization; of a bot with the role of owners for owners only.",
  pathParams: { bot_id: path.int() },
  result: { api_key: z.string() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});
