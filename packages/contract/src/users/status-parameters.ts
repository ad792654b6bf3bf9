import { form } from "../form.ts";

/** What is said of somebody in a status. */
export const statusParameters = {
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
};
