import { z } from "zod";

/** A view that is reached from the navigation, as clients get it; `name` is null for what every client has. */
export const navigationView = z.strictObject({
  fragment: z.string(),
  is_pinned: z.boolean(),
  name: z.string().nullable(),
});

export type NavigationView = z.output<typeof navigationView>;
