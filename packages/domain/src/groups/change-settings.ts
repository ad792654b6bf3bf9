import {
  checkGroupSettingUpdates,
  groupEvents,
  loadGroupValues,
  loadSystemGroups,
  storeChangedSettings,
} from "@carillon/model";
import {
  type GroupPermission,
  type GroupSettingUpdate,
  groupPermissions,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";

import type { OpenGroup } from "./open-group.ts";
import type { Told } from "./told.ts";

export type GroupSettingUpdates = Readonly<
  Partial<Record<GroupPermission, GroupSettingUpdate | undefined>>
>;

const keys = Object.keys(groupPermissions) as GroupPermission[];

/**
 * Changes a group's permissions, each as the update form says (user-groups.md §3).
 * @param deactivated whether the group is, by now
 * @throws ApiError `EXPECTATION_MISMATCH`, `BAD_REQUEST`
 */
export async function changeSettings(
  tx: Tx,
  { realm, group }: OpenGroup,
  updates: GroupSettingUpdates,
  deactivated: boolean,
): Promise<Told> {
  const wanted = keys.flatMap((key) => {
    const update = updates[key];
    return update ? [{ permission: groupPermissions[key], holder: group.groups[key], update }] : [];
  });
  if (wanted.length === 0) return { events: [], audit: [] };
  const [systemGroups, valueOf] = await Promise.all([
    loadSystemGroups(tx, realm.id),
    loadGroupValues(
      tx,
      wanted.map(({ holder }) => holder),
    ),
  ]);
  const checked = await checkGroupSettingUpdates(
    tx,
    realm.id,
    systemGroups["role:nobody"],
    wanted.map((each) => ({ ...each, current: valueOf(each.holder) })),
  );
  const changes = checked.map(({ permission, ...change }) => ({
    ...change,
    name: permission.name,
  }));
  await storeChangedSettings(tx, realm.id, { table: "named_user_group", id: group.id }, changes);
  return {
    events: changes.map(({ name, value }) =>
      groupEvents.updated({ id: group.id, deactivated }, { [name]: value }),
    ),
    audit: changes.map(({ name, current, value }) => ({
      type: "user_group_setting_changed",
      data: { setting: name, old: current, new: value },
    })),
  };
}
