import { z } from "zod";

/** A channel to be subscribed to, by name. */
export const wantedChannel = z.object({
  name: z.string(),
  /** `#rrggbb` */
  color: z.string().optional(),
  /** Of a channel that does not exist yet. */
  description: z.string().optional(),
});
