import {
  errors,
  type GroupSettingUpdate,
  type GroupSettingValue,
  type Permission,
  type Permissions,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { checkGroupSettings } from "./check-group-settings.ts";
import {
  canonicalGroupValue,
  loadGroupValues,
  sameGroupValue,
  sortedGroupValue,
} from "./group-setting-values.ts";
import {
  type GroupSettingUpdates,
  type PermissionOf,
  type PermissionScope,
  scopes,
} from "./memberships.ts";
import { storeChangedGroupSettings } from "./store-group-settings.ts";
import { loadSystemGroups, type SystemGroupIds } from "./system-groups.ts";

/** The organization, channel or user group whose permissions change. */
export interface GroupSettingsOwner<Scope extends PermissionScope> {
  readonly scope: Scope;
  readonly id: number;
  /** The group of each permission, as it is under the locks of the change. */
  readonly groups: Readonly<Record<PermissionOf<Scope>, number>>;
}

/** A permission that is set to something else by now. */
export interface ChangedGroupSetting {
  /** Of the permission, as on the wire. */
  readonly name: string;
  /** As it went out before. */
  readonly before: GroupSettingValue;
  /** In canonical form, as it goes out. */
  readonly value: GroupSettingValue;
}

interface Options {
  /** Where the caller has them. */
  readonly systemGroups?: SystemGroupIds;
  /** Asked whether the actor may, of what really changes and before it is looked at. */
  readonly authorize?: (changes: readonly ChangedGroupSetting[]) => void;
}

/**
 * Sets permissions of one owner to what the update forms say (user-groups.md §3). What `old` expects is compared with
 * all of them first, whatever `new` is; where `new` is there already, nothing is checked and nothing changes. The group
 * graph and the owner's row must be locked.
 * @returns what has changed, in the order of the declarations, for the caller to log and to emit
 * @throws ApiError `EXPECTATION_MISMATCH`, `BAD_REQUEST` or `SYSTEM_GROUP_REQUIRED`, for the first that is refused
 */
export async function changeGroupSettings<Scope extends PermissionScope>(
  tx: Tx,
  realmId: number,
  owner: GroupSettingsOwner<Scope>,
  updates: GroupSettingUpdates<Scope>,
  { systemGroups, authorize }: Options = {},
): Promise<ChangedGroupSetting[]> {
  const asked = askedFor(owner, updates);
  if (asked.length === 0) return [];
  const [groups, valueOf] = await Promise.all([
    systemGroups ?? loadSystemGroups(tx, realmId),
    loadGroupValues(
      tx,
      asked.map(({ group }) => group),
    ),
  ]);
  const nobodyId = groups["role:nobody"];
  const current = asked.map((each) => ({ ...each, before: valueOf(each.group) }));
  const mismatch = current.findIndex(
    ({ update: { old }, before }) => old !== undefined && !isExpected(old, before, nobodyId),
  );
  const changes = current.slice(0, mismatch < 0 ? current.length : mismatch).flatMap((each) => {
    const value = canonicalGroupValue(each.update.new, nobodyId);
    return sameGroupValue(value, each.before) ? [] : [{ ...each, value }];
  });
  const changed = changes.map(({ permission: { name }, before, value }) => ({
    name,
    before,
    value,
  }));
  authorize?.(changed);
  await checkGroupSettings(tx, realmId, changes);
  if (mismatch >= 0) throw errors.expectationMismatch("old");
  await storeChangedGroupSettings(tx, realmId, owner, changes);
  return changed;
}

interface Asked {
  readonly permission: Permission;
  /** The one that the column refers to so far. */
  readonly group: number;
  readonly update: GroupSettingUpdate;
}

function askedFor<Scope extends PermissionScope>(
  { scope, groups }: GroupSettingsOwner<Scope>,
  updates: GroupSettingUpdates<Scope>,
): Asked[] {
  const permissions: Permissions = scopes[scope].permissions;
  return Object.entries(permissions).flatMap(([name, permission]) => {
    const key = name as PermissionOf<Scope>;
    const update = updates[key];
    return update ? [{ permission, group: groups[key], update }] : [];
  });
}

/** A set whose accounts are all deactivated goes out empty: it is expected under that form, too. */
function isExpected(old: GroupSettingValue, current: GroupSettingValue, nobodyId: number): boolean {
  return (
    sameGroupValue(canonicalGroupValue(old, nobodyId), current) ||
    sameGroupValue(sortedGroupValue(old), current)
  );
}
