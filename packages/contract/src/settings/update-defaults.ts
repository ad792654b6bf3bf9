import { operation } from "../operation.ts";
import { defaultSettingParameters } from "./parameters.ts";

/** `PATCH /realm/user_settings_defaults` (settings-and-profile-fields.md §1.2). */
export const updateSettingsDefaults = operation({
  id: "update-settings-defaults",
  method: "PATCH",
  path: "/api/v1/realm/user_settings_defaults",
  access: "administrator",
  summary: "Change the settings that new accounts start with",
  example: { params: { twenty_four_hour_time: true } },
  description:
    "People who join later get a copy; nobody else's settings change, and bots take none. Only what differs from before " +
    "is stored and told. One unusable value refuses the whole request.",
  params: defaultSettingParameters,
});
