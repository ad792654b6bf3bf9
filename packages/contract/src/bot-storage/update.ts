import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { StorageBatches } from "./storage-batches.ts";

/** `PUT /bot_storage` (bot-storage-alert-words-navigation.md §1). */
export const updateBotStorage = operation({
  id: "update-bot-storage",
  method: "PUT",
  path: "/api/v1/bot_storage",
  access: "bot",
  accessError: "PERMISSION_DENIED",
  summary: "Update a bot's stored data",
  example: { params: { storage: { answered: "42" } } },
  description:
    "Stores the entries, over those that have the same keys. A bot's keys and values may have 10,000,000 characters together, unless the server is set to another limit; over it nothing is stored, and the message states the excess.",
  params: {
    storage: form
      .streamed(() => new StorageBatches(), {
        type: "object",
        additionalProperties: { type: "string" },
      })
      .describe("Keys and their values, all of them strings. Any string is a key."),
  },
});
