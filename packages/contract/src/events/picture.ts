import * as z from "zod";

/** The facts about an account's picture in the log; the address depends on the receiver (users.md §2). */
export const loggedPicture = z.strictObject({
  user_id: z.int(),
  version: z.int(),
  /** MD5 of the delivery address, for receivers that may see the address. */
  hash: z.string(),
  /** The roles that may see it. */
  shown_to: z.array(z.int()),
  /** The path of an uploaded picture. */
  file: z.string().optional(),
});
