import { z } from "zod";

/** The answer of what marks messages as read, however many (messages.md §7). */
export const markedRead = {
  complete: z
    .boolean()
    .describe(
      "False where there is more than one request does: the rest follows in the background.",
    ),
};
