import type { Account } from "../users/account.ts";
import { personalSettings, type SettingValue } from "./registry.ts";
import type { RuleSetting } from "./storage.ts";

/**
 * The value of an account's personal setting. People have values of their own from their first day; what is missing
 * is a bot's, or a setting younger than the account, and counts as the initial value.
 */
export function setting<Name extends RuleSetting>(
  account: Pick<Account, "settings">,
  name: Name,
): SettingValue<Name> {
  return (account.settings[name] ?? personalSettings[name].initial) as SettingValue<Name>;
}
