import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `POST /users/me/status` (clients.md §4). */
export const updateStatus = operation({
  id: "update-status",
  method: "POST",
  path: "/api/v1/users/me/status",
  access: "human",
  summary: "Update your status",
  description:
    "What is not sent stays as it is: send the text, or the emoji, or both. Empty takes it away.",
  params: {
    status_text: form
      .text()
      .optional()
      .describe("Trimmed; up to 60 characters (Unicode code points)."),
    emoji_name: form.text().optional(),
    emoji_code: form
      .text()
      .optional()
      .describe("Goes with `emoji_name`; has to be its code where given."),
    reaction_type: form
      .text()
      .optional()
      .describe("Goes with `emoji_name`; `unicode_emoji` where given."),
  },
});
