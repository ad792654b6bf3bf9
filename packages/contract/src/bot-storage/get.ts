import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";

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
      .describe("Which entries; all of them unless given. Each has to be there."),
  },
  result: { storage: z.record(z.string(), z.string()) },
});
