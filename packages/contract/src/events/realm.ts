import * as z from "zod";
import { groupSettingValue } from "../permissions/group-setting.ts";
import { event } from "../primitives/event.ts";

/** The methods of logging in, by name. */
export const authenticationMethods = z.record(
  z.string(),
  z.strictObject({
    enabled: z.boolean(),
    available: z.boolean(),
    unavailable_reason: z.string().optional(),
  }),
);

const value = z.union([
  authenticationMethods,
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  groupSettingValue,
]);

export const realmUpdated = event({
  type: "realm",
  op: "update_dict",
  about:
    "Settings of the organization changed: `data` has only the changed ones. `property` is `default`, or names the picture that changed.",
  to: "everybody",
  fields: {
    property: z.enum(["default", "icon", "logo", "night_logo"]),
    data: z.record(z.string(), value),
  },
  changesPresentation: true,
});

export const realmPropertyUpdated = event({
  type: "realm",
  op: "update",
  about:
    "One of the older `…_policy` numbers changed, with the permission that it represents; or the organization's push status changed: `push_notifications_enabled`, `push_notifications_enabled_end_timestamp`.",
  to: "everybody",
  fields: { property: z.string(), value: z.union([z.int(), z.boolean(), z.null()]) },
  changesPresentation: true,
});

export const realmDeactivated = event({
  type: "realm",
  op: "deactivated",
  about:
    "The organization was deactivated: open polls end with 401, so most clients do not get this event.",
  to: "everybody",
  fields: { realm_id: z.int() },
  effect: () => ({ everybody: true, ends: "refused" }),
});
