import { column, statement, type Sql } from "@carillon/db";

import type { Realm } from "../realms/realm.ts";
import { personalSettings } from "../settings/registry.ts";

const byUser = statement({
  name: "own-settings",
  text: `SELECT settings || rule_settings AS settings, email_address_visibility AS visibility, timezone
    FROM users WHERE realm_id = $1 AND id = $2`,
  row: {
    settings: column.json<Readonly<Record<string, unknown>>>(),
    visibility: column.int,
    timezone: column.text,
  },
});

/**
 * Every setting of an account by its wire name, its language and time zone too. What it never had, a bot's or one
 * younger than the account, is the initial value.
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
