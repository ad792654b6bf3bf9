import type { Account } from "../users/account.ts";
import { personalSettings, type SettingName, type SettingValue } from "./registry.ts";

/**
 * The value of an account's personal setting. People have values of their own from their first day; what is missing
 * is a bot's, or a setting younger than the account, and counts as the initial value.
 */
export function setting<Name extends SettingName>(
  account: Pick<Account, "settings" | "emailAddressVisibility">,
  name: Name,
): SettingValue<Name> {
  const value =
    name === "email_address_visibility" ? account.emailAddressVisibility : account.settings[name];
  return (value ?? personalSettings[name].initial) as SettingValue<Name>;
}
