import {
  type Realm,
  checkGroupSettingUpdates,
  loadGroupValues,
  storeChangedSettings,
} from "@carillon/model";
import {
  type GroupSettingUpdate,
  type RealmPermission,
  realmPermissions,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";

import type { ChangedSetting } from "./changed-setting.ts";

const keys = Object.keys(realmPermissions) as RealmPermission[];

/**
 * Changes permissions of the organization, each as the update form says (user-groups.md §3). The group graph and the
 * organization's row must be locked.
 * @param realm as it is under those locks
 * @param nobodyId the system group that an empty set stands for
 * @throws ApiError `EXPECTATION_MISMATCH`, `BAD_REQUEST`, `SYSTEM_GROUP_REQUIRED`
 */
export async function changeRealmPermissions(
  tx: Tx,
  realm: Realm,
  nobodyId: number,
  updates: Readonly<Partial<Record<RealmPermission, GroupSettingUpdate | undefined>>>,
): Promise<ChangedSetting[]> {
  const wanted = keys.flatMap((key) => {
    const update = updates[key];
    return update ? [{ permission: realmPermissions[key], holder: realm.groups[key], update }] : [];
  });
  if (wanted.length === 0) return [];
  const valueOf = await loadGroupValues(
    tx,
    wanted.map(({ holder }) => holder),
  );
  const checked = await checkGroupSettingUpdates(
    tx,
    realm.id,
    nobodyId,
    wanted.map((each) => ({ ...each, current: valueOf(each.holder) })),
  );
  const changes = checked.map(({ permission, ...change }) => ({
    ...change,
    name: permission.name,
  }));
  await storeChangedSettings(tx, realm.id, { table: "realms", id: realm.id }, changes);
  return changes.map(({ name, current, value }) => ({ name, before: current, value }));
}
