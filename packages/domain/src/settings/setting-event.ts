import { languageName } from "@carillon/model";
import {
  type Audience,
  type LoggedFields,
  type NewEvent,
  ownSettingUpdated,
} from "@carillon/contract";

export type SettingValue = LoggedFields<typeof ownSettingUpdated>["value"];

/** What accounts are told of a setting that is new for them: a language with its name. */
export function settingEvent(property: string, value: SettingValue, audience: Audience): NewEvent {
  const language = property === "default_language" ? languageName(String(value)) : undefined;
  return ownSettingUpdated(
    { property, value, ...(language === undefined ? {} : { language_name: language }) },
    { audience },
  );
}
