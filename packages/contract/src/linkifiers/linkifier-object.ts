import { z } from "zod";

/** A linkifier as clients see it (rendering.md §3). */
export const linkifierObject = z.strictObject({
  id: z.int(),
  pattern: z.string(),
  url_template: z.string(),
});
export type LinkifierObject = z.infer<typeof linkifierObject>;
