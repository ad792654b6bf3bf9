import {
  type Account,
  type ChannelGroups,
  type Memberships,
  type ProposedGroupSetting,
  type Realm,
  type SystemGroupIds,
  canonicalGroupValue,
  checkGroupSettings,
  sameGroupValue,
  storeNewSets,
} from "@carillon/model";
import {
  errors,
  type ChannelPermission,
  type GroupParts,
  type GroupSettingValue,
  type Permission,
  channelPermissions,
  realmPermissions,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";

import type { CreationOptions } from "./creation-options.ts";

/** The value of every permission of a channel, in canonical form. */
export type ChannelGroupValues = Readonly<Record<ChannelPermission, GroupSettingValue>>;

const permissions = Object.entries(channelPermissions) as ReadonlyArray<
  [ChannelPermission, Permission]
>;

/** Whoever sets these decides what may vanish from the organization's history (channels.md §2). */
const deletionPermissions: readonly ChannelPermission[] = [
  "canDeleteAnyMessageGroup",
  "canDeleteOwnMessageGroup",
];

/**
 * The permissions of a new channel: what was asked for, checked, and the defaults.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkCreationGroups(
  tx: Tx,
  realm: Realm,
  creator: Account,
  systemGroups: SystemGroupIds,
  asked: CreationOptions["groups"],
): Promise<ChannelGroupValues> {
  const nobody = systemGroups["role:nobody"];
  const proposed: Array<ProposedGroupSetting & { key: ChannelPermission }> = [];
  const values = new Map<ChannelPermission, GroupSettingValue>();
  for (const [key, permission] of permissions) {
    const value = asked[key];
    if (value !== undefined)
      proposed.push({ key, permission, value: canonicalGroupValue(value, nobody) });
    values.set(
      key,
      permission.default === "creator"
        ? { direct_members: [creator.id], direct_subgroups: [] }
        : systemGroups[permission.default],
    );
  }
  await checkGroupSettings(tx, realm.id, proposed);
  for (const { key, value } of proposed) values.set(key, value);
  return Object.fromEntries(values) as ChannelGroupValues;
}

/**
 * Who may let others delete messages; the default is nobody's business.
 * @throws ApiError `BAD_REQUEST`
 */
export function checkDeletionPolicy(
  realm: Realm,
  creator: Account,
  memberships: Memberships,
  systemGroups: SystemGroupIds,
  values: ChannelGroupValues,
): void {
  const asked = deletionPermissions.filter(
    (key) => !sameGroupValue(values[key], systemGroups["role:nobody"]),
  );
  const [first] = asked;
  if (first === undefined) return;
  const { canSetDeleteMessagePolicyGroup } = realmPermissions;
  const group = realm.groups.canSetDeleteMessagePolicyGroup;
  if (!memberships.holds(creator, canSetDeleteMessagePolicyGroup, group))
    throw errors.badRequest(`You may not set ${channelPermissions[first].name}`);
}

/** How many rows the permissions of one new channel take: members and subgroups of sets. */
export function creationGroupRows(values: ChannelGroupValues): number {
  return setsOf(values).reduce(
    (rows, { value }) => rows + value.direct_members.length + value.direct_subgroups.length,
    0,
  );
}

/** Makes the groups that the columns of so many new channels refer to. */
export async function storeCreationGroups(
  tx: Tx,
  realmId: number,
  values: ChannelGroupValues,
  channels: number,
): Promise<ChannelGroups[]> {
  const sets = setsOf(values);
  const holders = await storeNewSets(
    tx,
    realmId,
    sets.map(({ value }) => value),
    channels,
  );
  return holders.map((ids) => {
    const own = new Map(sets.map(({ key }, i) => [key, ids[i]]));
    const columns = permissions.map(([key]) => [`${key}Id`, own.get(key) ?? values[key]]);
    return Object.fromEntries(columns) as ChannelGroups;
  });
}

function setsOf(values: ChannelGroupValues): Array<{ key: ChannelPermission; value: GroupParts }> {
  return permissions.flatMap(([key]) => {
    const value = values[key];
    return typeof value === "number" ? [] : [{ key, value }];
  });
}
