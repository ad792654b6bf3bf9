import { z } from "zod";

/** A saved snippet, as clients get it. */
export const savedSnippet = z.strictObject({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  /** UNIX seconds */
  date_created: z.int(),
});

export type SavedSnippet = z.output<typeof savedSnippet>;
