import * as z from "zod";
import { event } from "../primitives/event.ts";

export const ownSettingUpdated = event({
  type: "user_settings",
  op: "update",
  about: "One of the account's own settings changed.",
  to: "some",
  receivers: "the account",
  fields: {
    property: z.string(),
    value: z.union([z.string(), z.number(), z.boolean()]),
    /** Only for `default_language`. */
    language_name: z.string().optional(),
  },
});
