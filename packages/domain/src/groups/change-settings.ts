import type { Tx } from "@carillon/db";

import {
  checkGroupSettingUpdates,
  type GroupSettingUpdate,
} from "../permissions/group-setting-updates.ts";
import { loadGroupValues, type GroupSettingValue } from "../permissions/group-setting.ts";
import { groupSettings } from "../permissions/registry.ts";
import { dropAnonymousGroup, storeGroupSetting } from "../permissions/store-group-setting.ts";
import { loadSystemGroups } from "../permissions/system-groups.ts";
import type { GroupSetting } from "./group.ts";
import type { OpenGroup } from "./open-group.ts";
import { groupEvent, type Told } from "./told.ts";

export type GroupSettingUpdates = Readonly<
  Partial<Record<GroupSetting, GroupSettingUpdate | undefined>>
>;

interface Change {
  readonly name: string;
  /** The group that has held the setting so far. */
  readonly holder: number;
  readonly current: GroupSettingValue;
  readonly value: GroupSettingValue;
}

const keys = Object.keys(groupSettings) as GroupSetting[];

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
    return update ? [{ rule: groupSettings[key], holder: group.holders[key], update }] : [];
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
  const changes: Change[] = checked.map(({ rule, ...change }) => ({ ...change, name: rule.name }));
  await store(tx, realm.id, group.id, changes);
  return {
    events: changes.map(({ name, value }) =>
      groupEvent("update", { group_id: group.id, data: { [name]: value } }, { deactivated }),
    ),
    audit: changes.map(({ name, current, value }) => ({
      type: "user_group_setting_changed",
      data: { setting: name, old: current, new: value },
    })),
  };
}

async function store(
  tx: Tx,
  realmId: number,
  groupId: number,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  const stored = await Promise.all(
    changes.map(async (change) => ({
      ...change,
      now: await storeGroupSetting(tx, realmId, change.value, change.holder),
    })),
  );
  const moved = stored.filter(({ holder, now }) => now !== holder);
  if (moved.length === 0) return;
  const columns = moved.map(({ name }, i) => `${name}_id = $${i + 2}`).join(", ");
  await tx.rows(`UPDATE named_user_group SET ${columns} WHERE id = $1`, [
    groupId,
    ...moved.map(({ now }) => now),
  ]);
  await Promise.all(moved.map(({ holder }) => dropAnonymousGroup(tx, holder)));
}
