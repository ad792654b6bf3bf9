import type { Account } from "./account.ts";
import { personalSettings, type SettingValue } from "../settings/registry.ts";
import type { RuleSetting } from "../settings/storage.ts";

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
