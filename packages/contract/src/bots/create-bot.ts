import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { createdBot } from "./bot-objects.ts";

/** `POST /bots` (users.md §5). */
export const createBot = operation({
  id: "create-bot",
  method: "POST",
  path: "/api/v1/bots",
  access: "human",
  summary: "Create a bot",
  example: { params: { full_name: "Build Bot $RANDOM", short_name: "build-$RANDOM" } },
  description: "The bot is the caller's, a member, and subscribed to nothing.",
  params: {
    full_name: form.text().describe("1 to 100 characters; no active account may have it."),
    short_name: form
      .text()
      .describe(
        "The beginning of the bot's address: `{short_name}-bot@`, then `realm_bot_domain`.",
      ),
    bot_type: form
      .int()
      .default(1)
      .describe("1 generic, 2 incoming webhook. This server runs no others."),
    default_sending_stream: form.text().optional().describe("The name of a channel."),
    default_events_register_stream: form.text().optional().describe("The name of a channel."),
    default_all_public_streams: form.bool().default(false),
  },
  result: createdBot.shape,
});
