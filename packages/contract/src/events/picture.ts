import { z } from "zod";

/** What the log keeps of an account's picture: its address depends on who looks (users.md §2). */
export const loggedPicture = z.strictObject({
  user_id: z.int(),
  version: z.int(),
  /** MD5 of the delivery address: for those only who may see that. */
  hash: z.string(),
  /** The roles that may see it. */
  shown_to: z.array(z.int()),
});
