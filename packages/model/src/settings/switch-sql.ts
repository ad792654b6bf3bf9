import { personalSettings, type SettingName } from "./registry.ts";
import type { RuleSetting } from "./storage.ts";

/** The settings that are either on or off, those left out that lie in the column for rules. */
type SwitchName = Exclude<
  {
    [Name in SettingName]: (typeof personalSettings)[Name]["initial"] extends boolean
      ? Name
      : never;
  }[SettingName],
  RuleSetting
>;

/**
 * An SQL expression that is true where the account `u` has the setting on. An account without a value of its own
 * has the initial one, as in `setting()`.
 */
export function switchSql(name: SwitchName): string {
  return `coalesce((u.settings->>'${name}')::boolean, ${personalSettings[name].initial})`;
}
