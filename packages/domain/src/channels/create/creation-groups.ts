import { type SystemGroupIds, groupSettingRows, sameGroupValue } from "@carillon/model";
import {
  type ChannelPermission,
  channelPermissions,
  type GroupSettingValue,
} from "@carillon/contract";

import type { Holder } from "../rights/holder.ts";
import { checkMaySetDeletion } from "../rights/property-rights.ts";

/** The value of every permission of a channel, in canonical form. */
export type ChannelGroupValues = Readonly<Record<ChannelPermission, GroupSettingValue>>;

/**
 * Who may let others delete messages in a new channel; that nobody may is nobody's business.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkDeletionPolicy(
  holder: Holder,
  systemGroups: SystemGroupIds,
  values: ChannelGroupValues,
): void {
  const given = (Object.keys(values) as ChannelPermission[]).filter(
    (key) => !sameGroupValue(values[key], systemGroups["role:nobody"]),
  );
  checkMaySetDeletion(
    holder,
    given.map((key) => channelPermissions[key].name),
  );
}

/** How many rows the permissions of one new channel take: members and subgroups of sets. */
export function creationGroupRows(values: ChannelGroupValues): number {
  return Object.values(values).reduce<number>((rows, value) => rows + groupSettingRows(value), 0);
}
