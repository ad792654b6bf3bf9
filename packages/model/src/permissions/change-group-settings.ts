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
  /** The group of each permission, read under the locks of the change. */
  readonly groups: Readonly<Record<PermissionOf<Scope>, number>>;
}

/** A changed permission. */
export interface ChangedGroupSetting {
  /** Wire name of the permission. */
  readonly name: string;
  /** The previous value as it was sent. */
  readonly before: GroupSettingValue;
  /** The new value in canonical form, as it is sent. */
  readonly value: GroupSettingValue;
}

interface Options {
  /** Loaded unless given. */
  readonly systemGroups?: SystemGroupIds;
  /** Checks the actor's right to make the changes; called with actual changes, before the values are checked. */
  readonly authorize?: (changes: readonly ChangedGroupSetting[]) => void;
}

/**
 * Sets permissions of one owner (user-groups.md §3). First compares all expected `old` values, whatever `new` is.
 * Permissions that already have the value `new` are neither checked nor changed. The group graph and the owner's row
 * must be locked.
 * @returns the changes in the order of the declarations, for the audit log and events
 * @throws ApiError `EXPECTATION_MISMATCH`, `BAD_REQUEST` or `SYSTEM_GROUP_REQUIRED`, for the first failed check
 */
export async function changeGroupSettings<Scope extends PermissionScope>(
  tx: Tx,
  realmId: number,
  owner: GroupSettingsOwner<Scope>,
  updates: GroupSettingUpdates<Scope>,
  { systemGroups, authorize }: Options = {},
): Promise<ChangedGroupSetting[]> {
  const requested = requestedUpdates(owner, updates);
  if (requested.length === 0) return [];
  const [groups, valueOf] = await Promise.all([
    systemGroups ?? loadSystemGroups(tx, realmId),
    loadGroupValues(
      tx,
      requested.map(({ group }) => group),
    ),
  ]);
  const nobodyId = groups["role:nobody"];
  const current = requested.map((each) => ({ ...each, before: valueOf(each.group) }));
  const mismatch = current.findIndex(
    ({ update: { old }, before }) =>
      old !== undefined && !isExpectedGroupValue(old, before, nobodyId),
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

interface RequestedUpdate {
  readonly permission: Permission;
  /** The group to which the column refers before the change. */
  readonly group: number;
  readonly update: GroupSettingUpdate;
}

function requestedUpdates<Scope extends PermissionScope>(
  { scope, groups }: GroupSettingsOwner<Scope>,
  updates: GroupSettingUpdates<Scope>,
): RequestedUpdate[] {
  const permissions: Permissions = scopes[scope].permissions;
  return Object.entries(permissions).flatMap(([name, permission]) => {
    const key = name as PermissionOf<Scope>;
    const update = updates[key];
    return update ? [{ permission, group: groups[key], update }] : [];
  });
}

/**
 * Whether the expected value matches. An anonymous group whose accounts are all deactivated is sent as empty, so the
 * empty form matches too.
 */
export function isExpectedGroupValue(
  old: GroupSettingValue,
  current: GroupSettingValue,
  nobodyId: number,
): boolean {
  return (
    sameGroupValue(canonicalGroupValue(old, nobodyId), current) ||
    sameGroupValue(sortedGroupValue(old), current)
  );
}
