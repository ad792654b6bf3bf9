import * as z from "zod";
import { bounds } from "../primitives/bounds.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { defaultSettingParameters, settingParameters } from "../settings/parameters.ts";
import { shape } from "../primitives/shape.ts";

/** `GET /settings`: the settings that `PATCH /settings` changes, in the form of the snapshot (events.md §1.2). */
export const getSettings = operation({
  id: "get-settings",
  method: "GET",
  path: "/api/v1/settings",
  access: "account",
  summary: "Get one's own settings",
  result: { user_settings: z.record(z.string(), z.unknown()) },
});

/** `PATCH /settings` (settings-and-profile-fields.md §1.3). */
export const updateSettings = operation({
  id: "update-settings",
  method: "PATCH",
  path: "/api/v1/settings",
  access: "human",
  summary: "Change one's own settings",
  example: { params: { twenty_four_hour_time: true } },
  description:
    "Only changed values are stored and sent as events. One invalid value rejects the whole request.",
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  params: {
    full_name: form
      .text()
      .optional()
      .describe("Has no effect if the organization reserves name changes to administrators."),
    email: form
      .text()
      .optional()
      .describe(
        "The server mails a link to the new address. The account gets the address when the link is confirmed, within 24 hours.",
      ),
    old_password: form.text().optional().describe("Required with `new_password`."),
    new_password: form
      .text()
      .optional()
      .describe("6 to 100 characters; the most common passwords are refused."),
    timezone: form
      .text()
      .optional()
      .describe("A name of the IANA time zone database: `Europe/Berlin`."),
    default_language: form.text().optional().describe("A language tag: `en`, `pt-br`."),
    ...settingParameters,
    target_users: form
      .json(
        z.object({
          user_ids: z.array(shape.id).max(bounds.accounts).default([]),
          group_ids: z.array(shape.id).max(bounds.accounts).default([]),
          skip_if_already_edited: z.boolean().default(false),
        }),
      )
      .optional()
      .describe(
        "For administrators: changes the settings of these people instead of the caller's, except settings that affect what others see of them or which mail they get. With `skip_if_already_edited`, only settings that they have not changed themselves.",
      ),
  },
});

/** `PATCH /settings/notifications`, the older spelling (settings-and-profile-fields.md §1.3). */
export const updateNotificationSettings = operation({
  id: "update-notification-settings",
  method: "PATCH",
  path: "/api/v1/settings/notifications",
  access: "human",
  summary: "Change one's own settings (older spelling)",
  example: { params: { enable_sounds: false } },
  description: "The same as `PATCH /settings`, for the plain settings: older programs call it.",
  params: settingParameters,
});

/** `PATCH /realm/user_settings_defaults` (settings-and-profile-fields.md §1.2). */
export const updateSettingsDefaults = operation({
  id: "update-settings-defaults",
  method: "PATCH",
  path: "/api/v1/realm/user_settings_defaults",
  access: "administrator",
  idempotencyKey: true,
  summary: "Change the default settings of new accounts",
  example: { params: { twenty_four_hour_time: true } },
  description:
    "People who join later get a copy. Existing accounts and bots are not affected. Only changed values are stored and sent as events. One invalid value rejects the whole request.",
  params: defaultSettingParameters,
});
