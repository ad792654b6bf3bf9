import {
  bounds,
  errors,
  type GroupSettingValue,
  type Permission,
  type SystemGroupName,
} from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";

import { loadNamedGroups, type UsableGroup } from "./lock-groups.ts";

/** A requested value of a permission, in canonical form. */
interface ProposedGroupSetting {
  readonly permission: Permission;
  readonly value: GroupSettingValue;
}

/**
 * Checks requested values (user-groups.md §3), and their total number of rows, because the group graph is locked while
 * they are written (http-contract.md §8.1). The lock keeps the named groups active until the transaction ends.
 * @throws ApiError `BAD_REQUEST` or `SYSTEM_GROUP_REQUIRED`
 */
export async function checkGroupSettings(
  tx: Tx,
  realmId: number,
  proposed: readonly ProposedGroupSetting[],
): Promise<void> {
  if (proposed.length === 0) return;
  const rows = proposed.reduce((sum, { value }) => sum + groupSettingRows(value), 0);
  if (rows > bounds.rows)
    throw errors.badRequest(
      `Permissions must not have more than ${bounds.rows} members and subgroups in one request; these have ${rows}`,
    );
  const groups = await loadNamedGroups(
    tx,
    realmId,
    proposed.flatMap(({ value }) => groupsOf(value)),
  );
  const members = await activeAccounts(
    tx,
    realmId,
    proposed.flatMap(({ value }) => membersOf(value)),
  );
  for (const { permission, value } of proposed) {
    if (typeof value === "number") {
      checkNamed(permission, groups.get(value));
      continue;
    }
    if (permission.requireSystemGroup) throw errors.systemGroupRequired(permission.name);
    if (value.direct_members.some((id) => !members.has(id)))
      throw errors.badRequest(`${permission.name}: direct_members must be active users`);
    if (value.direct_subgroups.some((id) => groups.get(id)?.deactivated !== false))
      throw errors.badRequest(`${permission.name}: direct_subgroups must be active user groups`);
  }
}

/** Returns how many rows a value needs: members and subgroups of an anonymous group. */
export function groupSettingRows(value: GroupSettingValue): number {
  return typeof value === "number"
    ? 0
    : value.direct_members.length + value.direct_subgroups.length;
}

function checkNamed(permission: Permission, group: UsableGroup | undefined): void {
  if (!group) throw errors.badRequest(`${permission.name}: there is no such user group`);
  if (group.deactivated)
    throw errors.badRequest(`${permission.name}: the user group is deactivated`);
  if (!group.isSystemGroup) {
    if (permission.requireSystemGroup) throw errors.systemGroupRequired(permission.name);
    return;
  }
  const name = group.name as SystemGroupName;
  const allowed =
    name !== "role:internet" &&
    (permission.allowEveryone || name !== "role:everyone") &&
    (permission.allowNobody || name !== "role:nobody") &&
    !permission.forbiddenSystemGroups?.includes(name) &&
    (permission.allowedSystemGroups?.includes(name) ?? true);
  if (!allowed) throw errors.badRequest(`${permission.name} cannot be set to ${name}`);
}

function groupsOf(value: GroupSettingValue): readonly number[] {
  return typeof value === "number" ? [value] : value.direct_subgroups;
}

function membersOf(value: GroupSettingValue): readonly number[] {
  return typeof value === "number" ? [] : value.direct_members;
}

const active = statement({
  name: "active-accounts-of",
  text: `SELECT id FROM users
    WHERE realm_id = $1 AND id = ANY($2::int[]) AND is_active AND system_bot_kind IS NULL`,
});

async function activeAccounts(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.rows(active, [realmId, ids]);
  return new Set(rows.map(({ id }) => id));
}
