import { initialDefaults, type Realm, ruleSettings } from "@carillon/model";
import { column, statement, type Tx, type RowOf } from "@carillon/db";

import type { SettingValue } from "./setting-event.ts";

/**
 * A setting lies in one of two columns; an account without one has the value that it began as. An account is written
 * once, whatever changes of it.
 */
const store = statement({
  name: "settings-store-for-others",
  text: `WITH held AS MATERIALIZED (
      SELECT id, settings, rule_settings, edited_settings FROM users
      WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    ), wanted AS MATERIALIZED (
      SELECT key AS name, value, $3::jsonb->key AS initial, key = ANY($5::text[]) AS ruled FROM jsonb_each($2::jsonb)
    ), changed AS MATERIALIZED (
      SELECT u.id, w.name, w.value, w.ruled FROM held u CROSS JOIN wanted w
      WHERE NOT ($4 AND w.name = ANY(u.edited_settings))
        AND coalesce(CASE WHEN w.ruled THEN u.rule_settings ELSE u.settings END->w.name, w.initial) <> w.value
    ), stored AS (
      UPDATE users u SET settings = u.settings || c.plain, rule_settings = u.rule_settings || c.ruled
      FROM (
        SELECT id, coalesce(jsonb_object_agg(name, value) FILTER (WHERE NOT ruled), '{}') AS plain,
          coalesce(jsonb_object_agg(name, value) FILTER (WHERE ruled), '{}') AS ruled
        FROM changed GROUP BY id
      ) c WHERE u.id = c.id
    )
    SELECT name, value, count(*)::int AS count, array_agg(id ORDER BY id)::text AS ids FROM changed
    GROUP BY name, value ORDER BY name`,
  row: {
    name: column.text,
    value: column.json<SettingValue>(),
    count: column.int,
    ids: column.text,
  },
});

/**
 * Gives the accounts the values, by wire names; who has one already keeps it, and with `skipEdited` who has changed that
 * setting themselves. The accounts must be locked.
 * @returns each setting that is new for some, with how many they are and their ids as SQL writes an array
 */
export async function storeForOthers(
  tx: Tx,
  realm: Realm,
  userIds: readonly number[],
  values: Readonly<Record<string, SettingValue>>,
  skipEdited: boolean,
): Promise<Array<RowOf<typeof store.columns>>> {
  const initial = { ...initialDefaults(), default_language: realm.defaultLanguage };
  return tx.lock({ name: "accounts", keys: userIds }, store, [
    userIds,
    JSON.stringify(values),
    JSON.stringify(initial),
    skipEdited,
    ruleSettings,
  ]);
}
