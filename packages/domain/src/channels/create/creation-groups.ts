import {
  type Account,
  type Memberships,
  type Realm,
  type SystemGroupIds,
  sameGroupValue,
} from "@carillon/model";
import {
  errors,
  type ChannelPermission,
  type GroupSettingValue,
  channelPermissions,
  realmPermissions,
} from "@carillon/contract";

/** The value of every permission of a channel, in canonical form. */
export type ChannelGroupValues = Readonly<Record<ChannelPermission, GroupSettingValue>>;

/** Whoever sets these decides what may vanish from the organization's history (channels.md §2). */
const deletionPermissions: readonly ChannelPermission[] = [
  "canDeleteAnyMessageGroup",
  "canDeleteOwnMessageGroup",
];

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
  return Object.values(values).reduce<number>(
    (rows, value) =>
      typeof value === "number"
        ? rows
        : rows + value.direct_members.length + value.direct_subgroups.length,
    0,
  );
}
