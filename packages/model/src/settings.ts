import {
  initialDefaults,
  notificationSounds,
  personalSettings,
  type SettingName,
} from "@carillon/contract";
import { column, type Sql, statement } from "@carillon/db";

/** What clients offer for settings, sent beside them (settings-and-profile-fields.md §1.2). */
export const settingChoices = {
  emojiset_choices: [
    { key: "google", text: "Google" },
    { key: "twitter", text: "Twitter" },
    { key: "text", text: "Plain text" },
  ],
  available_notification_sounds: notificationSounds,
};

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Characters that a language tag may have. */
const maxTagLength = 50;

/** The English name of the language that a tag like `de` or `pt-br` stands for; undefined where it stands for none. */
export function languageName(tag: string): string | undefined {
  if (tag.length > maxTagLength) return undefined;
  try {
    return names.of(tag);
  } catch {
    return undefined;
  }
}

/** What a column holds; the longest name of the IANA database has 32. */
const maxZoneLength = 40;

/**
 * The time zone as the IANA database spells it, aliases as given; undefined for a name that is none. Offsets like
 * `+01:00` are none.
 */
export function timezoneNamed(name: string): string | undefined {
  if (name.length > maxZoneLength || !/^[A-Za-z]/.test(name)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    return undefined;
  }
}

type SettingValue = boolean | number | string;

const byRealm = statement({
  name: "realm-defaults",
  text: `SELECT settings FROM realm_user_defaults WHERE realm_id = $1`,
  row: { settings: column.json<Readonly<Record<string, SettingValue>>>() },
});

/** The settings that new accounts of the organization get a copy of, by their wire names. */
export async function loadRealmDefaults(
  sql: Sql,
  realmId: number,
): Promise<Record<string, SettingValue>> {
  const [row] = await sql.rows(byRealm, [realmId]);
  return { ...initialDefaults(), ...row?.settings };
}

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
