import { z } from "zod";

import { bounds } from "../bounds.ts";
import { form } from "../form.ts";

const choice = z.looseObject({
  short_name: z.string(),
  long_name: z.string(),
  reply: z.string(),
});

/** What a sender attaches to a message by itself: buttons that send replies (messages.md §6.7). */
const zform = z.object({
  widget_type: z.literal("zform"),
  extra_data: z.looseObject({
    type: z.literal("choices"),
    heading: z.string(),
    choices: z.array(choice),
  }),
});

/** `widget_content` of `POST /messages`. */
export const widgetContent = form
  .json(zform, { fractions: true })
  .describe(
    "A widget that clients show in place of the content: buttons (`zform`) that send replies; at most " +
      `${bounds.widgetCharacters} characters. Polls and to-do lists are made by a content that begins with \`/poll\` or \`/todo\`.`,
  );
