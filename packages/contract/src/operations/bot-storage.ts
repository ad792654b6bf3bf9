import * as z from "zod";
import { StorageBatches } from "./bot-storage/storage-batches.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";

/** `GET /bot_storage` (bot-storage-alert-words-navigation.md §1). */
export const getBotStorage = operation({
  id: "get-bot-storage",
  method: "GET",
  path: "/api/v1/bot_storage",
  access: "bot",
  accessError: "PERMISSION_DENIED",
  summary: "Get a bot's stored data",
  params: {
    keys: form
      .json(z.array(z.string()))
      .optional()
      .describe("Keys of the entries; all entries unless given. Each key must exist."),
  },
  result: { storage: z.record(z.string(), z.string()) },
});

/** `PUT /bot_storage` (bot-storage-alert-words-navigation.md §1). */
export const updateBotStorage = operation({
  id: "update-bot-storage",
  method: "PUT",
  path: "/api/v1/bot_storage",
  access: "bot",
  accessError: "PERMISSION_DENIED",
  idempotencyKey: true,
  summary: "Update a bot's stored data",
  example: { params: { storage: { answered: "42" } } },
  description:
    "Stores the entries, and replaces entries with the same keys. A bot's keys and values may have 10,000,000 characters together, unless the server has another limit. Beyond the limit nothing is stored, and the message states the excess.",
  params: {
    storage: form
      .streamed(() => new StorageBatches(), {
        type: "object",
        additionalProperties: { type: "string" },
      })
      .describe("Keys and values, both strings. Any string may be a key."),
  },
});

/** `DELETE /bot_storage` (bot-storage-alert-words-navigation.md §1). */
export const deleteBotStorage = operation({
  id: "delete-bot-storage",
  method: "DELETE",
  path: "/api/v1/bot_storage",
  access: "bot",
  accessError: "PERMISSION_DENIED",
  idempotencyKey: true,
  summary: "Delete a bot's stored data",
  params: {
    keys: form
      .json(z.array(z.string()))
      .optional()
      .describe(
        "Keys of the entries; all entries unless given. If a key does not exist, nothing is deleted.",
      ),
  },
});
