import { z } from "zod";
import { shape } from "../shape.ts";

const types = ["stream", "private", ""] as const;

/** A draft that is sent: what has been written so far. */
export const givenDraft = z.strictObject({
  type: z.enum(types).describe("Empty while nobody knows whom it is for."),
  to: z.array(shape.id).describe("The ID of the channel, or those of the people."),
  topic: z.string(),
  content: z.string(),
  timestamp: z
    .number()
    .min(0)
    .max(253_402_300_799)
    .optional()
    .describe("UNIX seconds of the last change, now unless given."),
});

export type GivenDraft = z.output<typeof givenDraft>;

/** A stored draft, as clients get it. */
export const draftResource = z.strictObject({
  id: z.int(),
  type: z.enum(types),
  to: z.array(z.int()),
  topic: z.string(),
  content: z.string(),
  /** UNIX seconds */
  timestamp: z.int(),
});

export type DraftResource = z.output<typeof draftResource>;
