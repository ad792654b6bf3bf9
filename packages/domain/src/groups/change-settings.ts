import { changeGroupSettings, groupEvents, type GroupSettingUpdates } from "@carillon/model";
import type { Tx } from "@carillon/db";

import type { OpenGroup } from "./open-group.ts";
import type { Told } from "./told.ts";

/**
 * Sets permissions of a group, each as the update form says (user-groups.md §3).
 * @param deactivated whether the group is, by now
 * @throws ApiError `EXPECTATION_MISMATCH`, `BAD_REQUEST`
 */
export async function changeSettings(
  tx: Tx,
  { realm, group: { id, groups } }: OpenGroup,
  updates: GroupSettingUpdates<"group">,
  deactivated: boolean,
): Promise<Told> {
  const changes = await changeGroupSettings(tx, realm.id, { scope: "group", id, groups }, updates);
  return {
    events: changes.map(({ name, value }) =>
      groupEvents.updated({ id, deactivated }, { [name]: value }),
    ),
    audit: changes.map(({ name, before, value }) => ({
      type: "user_group_setting_changed",
      data: { setting: name, old: before, new: value },
    })),
  };
}
