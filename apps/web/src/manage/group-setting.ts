import type { GroupSettingValue, UserGroup } from "@carillon/client";
import { texts } from "../texts.ts";
import type { Option } from "../ui/select.tsx";

const t = texts.organization;
/** Stands for a value of single people and groups, which only the API can set. */
export const custom = "custom";

/** Returns the groups to which a permission can be given. */
export function groupOptions(
  groups: readonly UserGroup[],
  value: GroupSettingValue | undefined,
): Option[] {
  const options = groups
    .filter(({ deactivated }) => !deactivated)
    .map((group) => ({ value: String(group.id), label: nameOfGroup(group) }));
  return typeof value === "object" ? [{ value: custom, label: t.custom }, ...options] : options;
}

/** Returns the option that stands for a value. */
export function optionOf(value: GroupSettingValue | undefined): string {
  return typeof value === "object" ? custom : String(value);
}

/** The name of a group for people: the system's groups have names such as `role:members`. */
export function nameOfGroup({ name }: Pick<UserGroup, "name">): string {
  return t.systemGroups[name] ?? name;
}
