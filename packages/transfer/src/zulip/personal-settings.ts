import { type PersonalSetting, personalSettings } from "@carillon/contract";

import type { Row } from "./row.ts";

/** Settings that have the column `rule_settings` (packages/model, settings.ts); the others are in `settings`. */
const ruleSettings: ReadonlySet<string> = new Set([
  "translate_emoticons",
  "automatically_follow_topics_policy",
  "automatically_follow_topics_where_mentioned",
  "automatically_unmute_topics_in_muted_streams_policy",
]);

/** Has a column of its own. */
const visibility = "email_address_visibility";

type Values = Readonly<Record<string, boolean | number | string>>;

/** Returns the personal settings of a row, under the same names, as far as their values are known. */
export function settingsOf(row: Row, wanted: (setting: PersonalSetting) => boolean): Values {
  return Object.fromEntries(
    Object.entries<PersonalSetting>(personalSettings).flatMap(([name, setting]) => {
      const value = row.value(name);
      const isKnown = name !== visibility && wanted(setting) && isAllowed(setting, value);
      return isKnown ? [[name, value]] : [];
    }),
  );
}

/** Returns the columns of an account with its personal settings. */
export function settingsColumnsOf(row: Row): { rule_settings: Values; settings: Values } {
  const all = Object.entries(settingsOf(row, () => true));
  return {
    rule_settings: Object.fromEntries(all.filter(([name]) => ruleSettings.has(name))),
    settings: Object.fromEntries(all.filter(([name]) => !ruleSettings.has(name))),
  };
}

function isAllowed(
  { initial, allowed, range }: PersonalSetting,
  value: unknown,
): value is boolean | number | string {
  if (typeof value === "number" && typeof initial === "number")
    return (
      Number.isSafeInteger(value) &&
      (allowed?.includes(value) ?? true) &&
      (range === undefined || (value >= range.min && value <= range.max))
    );
  if (typeof value === "string" && typeof initial === "string")
    return allowed?.includes(value) ?? true;
  return typeof value === "boolean" && typeof initial === "boolean";
}
