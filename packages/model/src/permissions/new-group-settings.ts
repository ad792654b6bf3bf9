import type { GroupSettingValue, Permissions } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { checkGroupSettings } from "./check-group-settings.ts";
import { canonicalGroupValue } from "./group-setting-values.ts";
import type { SystemGroupIds } from "./system-groups.ts";

/**
 * What the permissions of something new are set to, in canonical form: what was asked for, checked, and the defaults
 * (user-groups.md §3), in the order of the declarations.
 * @param creatorId the account that has the permissions which start as the creator's
 * @throws ApiError `BAD_REQUEST` or `SYSTEM_GROUP_REQUIRED`, for the first that is refused
 */
export async function newGroupSettings<Declared extends Permissions>(
  tx: Tx,
  realmId: number,
  permissions: Declared,
  asked: Readonly<Partial<Record<keyof Declared, GroupSettingValue | undefined>>>,
  {
    creatorId,
    systemGroups,
  }: { readonly creatorId: number; readonly systemGroups: SystemGroupIds },
): Promise<Record<keyof Declared, GroupSettingValue>> {
  const initial = {
    creator: { direct_members: [creatorId], direct_subgroups: [] },
    ...systemGroups,
  };
  const settings = Object.entries(permissions).map(([key, permission]) => {
    const given = asked[key];
    const value =
      given === undefined
        ? initial[permission.default]
        : canonicalGroupValue(given, systemGroups["role:nobody"]);
    return { key, permission, value, isGiven: given !== undefined };
  });
  await checkGroupSettings(
    tx,
    realmId,
    settings.filter(({ isGiven }) => isGiven),
  );
  return Object.fromEntries(settings.map(({ key, value }) => [key, value])) as Record<
    keyof Declared,
    GroupSettingValue
  >;
}

/** The group that each permission starts with where nobody is the creator: what would be theirs is nobody's. */
export function defaultGroups<Declared extends Permissions>(
  permissions: Declared,
  systemGroups: SystemGroupIds,
): Record<keyof Declared, number> {
  const initial = { creator: systemGroups["role:nobody"], ...systemGroups };
  const groups = Object.entries(permissions).map(([key, permission]) => [
    key,
    initial[permission.default],
  ]);
  return Object.fromEntries(groups) as Record<keyof Declared, number>;
}
