import { type GroupSetting, groupSettings } from "@carillon/model";

type WireName = (typeof groupSettings)[GroupSetting]["name"];

/** The permissions of a group among the parameters, in the rules' spelling. */
export function settingsOf<Value>(
  input: Readonly<Record<WireName, Value>>,
): Record<GroupSetting, Value> {
  const entries = Object.entries(groupSettings).map(([key, { name }]) => [key, input[name]]);
  return Object.fromEntries(entries) as Record<GroupSetting, Value>;
}
