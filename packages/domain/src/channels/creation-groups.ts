import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import {
  checkGroupSettings,
  type ProposedGroupSetting,
} from "../permissions/check-group-setting.ts";
import {
  canonicalGroupValue,
  sameGroupValue,
  type GroupSettingValue,
} from "../permissions/group-setting.ts";
import type { Memberships } from "../permissions/memberships.ts";
import { channelSettings, realmSettings, type SettingRule } from "../permissions/registry.ts";
import { storeGroupSetting } from "../permissions/store-group-setting.ts";
import type { SystemGroupIds } from "../permissions/system-groups.ts";
import type { Realm } from "../realms/realm.ts";
import type { Account } from "../users/account.ts";
import type { ChannelGroups, ChannelSetting } from "./channel.ts";
import type { CreationOptions } from "./creation-options.ts";

/** The value of every permission of a channel, in canonical form. */
export type ChannelGroupValues = Readonly<Record<ChannelSetting, GroupSettingValue>>;

const rules = Object.entries(channelSettings) as ReadonlyArray<[ChannelSetting, SettingRule]>;

/** Whoever sets these decides what may vanish from the organization's history (channels.md §2). */
const deletionSettings: readonly ChannelSetting[] = [
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
  const proposed: Array<ProposedGroupSetting & { key: ChannelSetting }> = [];
  const values = new Map<ChannelSetting, GroupSettingValue>();
  for (const [key, rule] of rules) {
    const value = asked[key];
    if (value !== undefined)
      proposed.push({ key, rule, value: canonicalGroupValue(value, nobody) });
    values.set(
      key,
      rule.default === "creator"
        ? { direct_members: [creator.id], direct_subgroups: [] }
        : systemGroups[rule.default],
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
  const asked = deletionSettings.filter(
    (key) => !sameGroupValue(values[key], systemGroups["role:nobody"]),
  );
  const [first] = asked;
  if (first === undefined) return;
  const { canSetDeleteMessagePolicyGroup } = realmSettings;
  const group = realm.groups.canSetDeleteMessagePolicyGroup;
  if (!memberships.holds(creator, canSetDeleteMessagePolicyGroup, group))
    throw errors.badRequest(`You may not set ${channelSettings[first].name}`);
}

/** Makes the groups that the channel's columns refer to. */
export async function storeCreationGroups(
  tx: Tx,
  realmId: number,
  values: ChannelGroupValues,
): Promise<ChannelGroups> {
  const columns: Array<[string, number]> = [];
  for (const [key] of rules)
    columns.push([`${key}Id`, await storeGroupSetting(tx, realmId, values[key])]);
  return Object.fromEntries(columns) as unknown as ChannelGroups;
}
