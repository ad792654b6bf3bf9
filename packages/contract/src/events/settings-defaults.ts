import * as z from "zod";
import { event } from "../primitives/event.ts";

export const settingsDefaultUpdated = event({
  type: "realm_user_settings_defaults",
  op: "update",
  about: "A default setting of new accounts changed.",
  to: "everybody",
  fields: {
    property: z.string(),
    value: z.union([z.string(), z.number(), z.boolean()]),
  },
});
