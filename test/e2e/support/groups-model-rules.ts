/** The specification's constants of group settings, for the model that the server is compared with. */

export const settingNames = [
  "can_add_members_group",
  "can_join_group",
  "can_leave_group",
  "can_manage_group",
  "can_mention_group",
  "can_remove_members_group",
] as const;
export type SettingName = (typeof settingNames)[number];

export const realmSettingNames = [
  "can_manage_all_groups",
  "can_create_groups",
  "can_create_public_channel_group",
] as const;
export type RealmSettingName = (typeof realmSettingNames)[number];

export interface SetValue {
  readonly direct_members: readonly number[];
  readonly direct_subgroups: readonly number[];
}
export type Value = number | SetValue;
export interface Update {
  readonly new: Value;
  readonly old?: Value;
}

/** The expected error: a code, and expected further fields. */
export class Refusal extends Error {
  readonly code: string;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code = "BAD_REQUEST", extra: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.extra = extra;
  }
}

export interface Allowed {
  readonly everyone: boolean;
  readonly refused: readonly string[];
}

const noEveryone: Allowed = { everyone: false, refused: ["role:everyone", "role:internet"] };
const withEveryone: Allowed = { everyone: true, refused: ["role:internet"] };

/** The system groups that each setting may have (user-groups.md §3.1 and §3.2). */
export const rules: Readonly<Record<SettingName | RealmSettingName, Allowed>> = {
  can_add_members_group: noEveryone,
  can_join_group: noEveryone,
  can_leave_group: withEveryone,
  can_manage_group: noEveryone,
  can_mention_group: { everyone: true, refused: ["role:internet", "role:owners"] },
  can_remove_members_group: noEveryone,
  can_manage_all_groups: {
    everyone: false,
    refused: ["role:everyone", "role:internet", "role:nobody"],
  },
  can_create_groups: noEveryone,
  can_create_public_channel_group: noEveryone,
};

/** `can_subscribe_group` of a channel (channels.md §2). */
export const channelRule = noEveryone;
