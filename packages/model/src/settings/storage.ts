import { statement, type Sql } from "@carillon/db";

/**
 * The personal settings that rules ask of many accounts at once. They have a column of their own: all seventy are
 * 2 KB of JSON, and reading them with every account cost a tenth of the delivery.
 */
export const ruleSettings = [
  "translate_emoticons",
  "automatically_follow_topics_policy",
  "automatically_follow_topics_where_mentioned",
  "automatically_unmute_topics_in_muted_streams_policy",
] as const;

export type RuleSetting = (typeof ruleSettings)[number];

type Values = Readonly<Record<string, unknown>>;

/** Settings by their wire names, parted into the two columns that hold them, as JSON. */
export function settingsColumns(values: Values): { ruleSettings: string; settings: string } {
  const forRules = new Set<string>(ruleSettings);
  const part = (wanted: boolean) =>
    JSON.stringify(
      Object.fromEntries(Object.entries(values).filter(([name]) => forRules.has(name) === wanted)),
    );
  return { ruleSettings: part(true), settings: part(false) };
}

const store = statement({
  name: "user-settings-store",
  text: `UPDATE users SET rule_settings = rule_settings || $2::jsonb, settings = settings || $3::jsonb,
      edited_settings = ARRAY(SELECT unnest(edited_settings) UNION SELECT unnest($4::text[]) ORDER BY 1)
    WHERE id = $1`,
  row: {},
});

/** Sets personal settings by their wire names, over those that the account has, for the account itself. */
export async function storeSettings(sql: Sql, userId: number, values: Values): Promise<void> {
  const columns = settingsColumns(values);
  await sql.rows(store, [userId, columns.ruleSettings, columns.settings, Object.keys(values)]);
}
