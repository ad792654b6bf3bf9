import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `DELETE /bot_storage` (bot-storage-alert-words-navigation.md §1). */
export const deleteBotStorage = operation({
  id: "delete-bot-storage",
  method: "DELETE",
  path: "/api/v1/bot_storage",
  access: "bot",
  accessError: "PERMISSION_DENIED",
  summary: "Delete a bot's stored data",
  params: {
    keys: form
      .json(z.array(z.string()))
      .optional()
      .describe("Which entries; all of them unless given. Where one is not there none is deleted."),
  },
});
