import { personalSettings, type SettingValue } from "@carillon/contract";
import { type Sql, statement, typed } from "@carillon/db";

import type { Realm } from "../realms.ts";
import type { RuleSetting } from "../settings.ts";
import type { Account } from "./account.ts";

const byUser = statement({
  name: "own-settings",
  text: `SELECT settings || rule_settings AS settings, email_address_visibility AS visibility, timezone
    FROM users WHERE realm_id = $1 AND id = $2`,
  overrides: { settings: typed<Readonly<Record<string, unknown>>>() },
});

/**
 * Loads all settings of an account by wire names, including language and time zone. A missing value, of a bot or of a
 * setting newer than the account, is the initial value.
 */
export async function loadOwnSettings(
  sql: Sql,
  realm: Realm,
  userId: number,
): Promise<Record<string, unknown>> {
  const [row] = await sql.rows(byUser, [realm.id, userId]);
  if (!row) throw new Error(`there is no account ${userId} any more`);
  const settings = Object.entries(personalSettings).map(([name, { initial }]) => [
    name,
    row.settings[name] ?? initial,
  ]);
  return {
    ...Object.fromEntries(settings),
    email_address_visibility: row.visibility,
    default_language: row.settings["default_language"] ?? realm.defaultLanguage,
    timezone: row.timezone,
  };
}

/**
 * Returns the value of an account's personal setting. A missing value, of a bot or of a setting newer than the account,
 * is the initial value.
 */
export function setting<Name extends RuleSetting>(
  account: Pick<Account, "settings">,
  name: Name,
): SettingValue<Name> {
  return (account.settings[name] ?? personalSettings[name].initial) as SettingValue<Name>;
}
