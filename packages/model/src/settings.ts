import {
  initialDefaults,
  notificationSounds,
  personalSettings,
  type SettingName,
} from "@carillon/contract";
import { type Sql, statement, typed } from "@carillon/db";

/** The choices of some settings, sent together with the settings (settings-and-profile-fields.md §1.2). */
export const settingChoices = {
  emojiset_choices: [
    { key: "google", text: "Google" },
    { key: "twitter", text: "Twitter" },
    { key: "text", text: "Plain text" },
  ],
  available_notification_sounds: notificationSounds,
};

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Maximum length of a language tag. */
const maxTagLength = 50;

/** Returns the English name of the language with a tag such as `de` or `pt-br`; undefined for an unknown tag. */
export function languageName(tag: string): string | undefined {
  if (tag.length > maxTagLength) return undefined;
  try {
    return names.of(tag);
  } catch {
    return undefined;
  }
}

/** Maximum length of the column; the longest name in the IANA database has 32 characters. */
const maxZoneLength = 40;

/**
 * Returns the time zone in the spelling of the IANA database, and aliases as given; undefined for an unknown name.
 * Offsets such as `+01:00` are not accepted.
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
  overrides: { settings: typed<Readonly<Record<string, SettingValue>>>() },
});

/** Loads the organization's default settings of new accounts, by wire names. */
export async function loadRealmDefaults(
  sql: Sql,
  realmId: number,
): Promise<Record<string, SettingValue>> {
  const [row] = await sql.rows(byRealm, [realmId]);
  return { ...initialDefaults(), ...row?.settings };
}

/**
 * Personal settings that rules read for many accounts at once. They have their own column: all seventy settings are 2
 * KB of JSON, and reading these with every account took a tenth of the delivery time.
 */
export const ruleSettings = [
  "translate_emoticons",
  "automatically_follow_topics_policy",
  "automatically_follow_topics_where_mentioned",
  "automatically_unmute_topics_in_muted_streams_policy",
] as const;

export type RuleSetting = (typeof ruleSettings)[number];

type Values = Readonly<Record<string, unknown>>;

/** Splits settings by wire names into the two columns that store them, as JSON. */
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
});

/** Stores personal settings by wire names, as changed by the account itself. */
export async function storeSettings(sql: Sql, userId: number, values: Values): Promise<void> {
  const columns = settingsColumns(values);
  await sql.rows(store, [userId, columns.ruleSettings, columns.settings, Object.keys(values)]);
}

/** Names of the boolean settings, except those in the column for rules. */
type SwitchName = Exclude<
  {
    [Name in SettingName]: (typeof personalSettings)[Name]["initial"] extends boolean
      ? Name
      : never;
  }[SettingName],
  RuleSetting
>;

/** SQL: whether the account `u` has the setting on. A missing value means the initial value, as in `setting()`. */
export function switchSql(name: SwitchName): string {
  return `coalesce((u.settings->>'${name}')::boolean, ${personalSettings[name].initial})`;
}
