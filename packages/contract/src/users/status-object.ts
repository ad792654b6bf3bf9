import { z } from "zod";

/** What somebody says of themselves; only what is set. */
export const statusObject = z.strictObject({
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: z.string().optional(),
});
