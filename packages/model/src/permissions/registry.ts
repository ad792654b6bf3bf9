import { roles } from "@carillon/contract";

/**
 * Every group-valued setting, declared once (user-groups.md §3): what it may be set to and what it starts as.
 * Evaluation, validation, creation and the register answer all read these tables.
 */

export type SystemGroupName =
  | "role:nobody"
  | "role:owners"
  | "role:administrators"
  | "role:moderators"
  | "role:fullmembers"
  | "role:members"
  | "role:everyone"
  | "role:internet";

/** In the order of their creation, each with its one direct subgroup. */
export const systemGroups: ReadonlyArray<{
  name: SystemGroupName;
  description: string;
  subgroup?: SystemGroupName;
}> = [
  { name: "role:nobody", description: "Nobody" },
  { name: "role:owners", description: "Owners of this organization" },
  {
    name: "role:administrators",
    description: "Administrators, owners included",
    subgroup: "role:owners",
  },
  {
    name: "role:moderators",
    description: "Moderators, administrators included",
    subgroup: "role:administrators",
  },
  {
    name: "role:fullmembers",
    description: "Members past the waiting period, moderators included",
    subgroup: "role:moderators",
  },
  { name: "role:members", description: "Everyone but guests", subgroup: "role:fullmembers" },
  { name: "role:everyone", description: "Everyone, guests included", subgroup: "role:members" },
  { name: "role:internet", description: "Everyone on the internet", subgroup: "role:everyone" },
];

/** The system group whose direct members are the accounts of a role. */
export const groupOfRole: Readonly<Record<number, SystemGroupName>> = {
  [roles.owner]: "role:owners",
  [roles.administrator]: "role:administrators",
  [roles.moderator]: "role:moderators",
  [roles.member]: "role:members",
  [roles.guest]: "role:everyone",
};

export interface SettingRule<Name extends string = string> {
  /** As on the wire. */
  readonly name: Name;
  /** A group, or the one who creates what the setting belongs to. */
  readonly default: SystemGroupName | "creator";
  /** Where false, guests never hold the permission either. */
  readonly allowEveryone: boolean;
  readonly allowNobody: boolean;
  readonly requireSystemGroup: boolean;
  /** Where given, no other system group will do. */
  readonly allowedSystemGroups?: readonly SystemGroupName[];
  /** System groups that are refused besides. */
  readonly forbiddenSystemGroups?: readonly SystemGroupName[];
  /** Only owners may change it. */
  readonly ownersOnly?: true;
}

type Options = Partial<Omit<SettingRule, "name" | "default">>;

function rule<const Name extends string>(
  name: Name,
  initial: SettingRule["default"],
  options: Options = {},
): SettingRule<Name> {
  return {
    name,
    default: initial,
    allowEveryone: false,
    allowNobody: true,
    requireSystemGroup: false,
    ...options,
  };
}

const everyoneToo: Options = { allowEveryone: true };

/** Settings of the organization (user-groups.md §3.2). */
export const realmSettings = {
  canManageAllGroups: rule("can_manage_all_groups", "role:owners", {
    allowNobody: false,
    ownersOnly: true,
  }),
  canCreateGroups: rule("can_create_groups", "role:members", { ownersOnly: true }),
  canCreatePublicChannelGroup: rule("can_create_public_channel_group", "role:members"),
  canCreatePrivateChannelGroup: rule("can_create_private_channel_group", "role:members"),
  canCreateWebPublicChannelGroup: rule("can_create_web_public_channel_group", "role:owners", {
    requireSystemGroup: true,
    allowedSystemGroups: ["role:moderators", "role:administrators", "role:owners", "role:nobody"],
  }),
  canAddSubscribersGroup: rule("can_add_subscribers_group", "role:members"),
  canDeleteAnyMessageGroup: rule("can_delete_any_message_group", "role:administrators"),
  canDeleteOwnMessageGroup: rule("can_delete_own_message_group", "role:everyone", everyoneToo),
  canMoveMessagesBetweenChannelsGroup: rule(
    "can_move_messages_between_channels_group",
    "role:members",
  ),
  canMoveMessagesBetweenTopicsGroup: rule(
    "can_move_messages_between_topics_group",
    "role:everyone",
    everyoneToo,
  ),
  canResolveTopicsGroup: rule("can_resolve_topics_group", "role:everyone", everyoneToo),
  canSetTopicsPolicyGroup: rule("can_set_topics_policy_group", "role:members", everyoneToo),
  canSetDeleteMessagePolicyGroup: rule("can_set_delete_message_policy_group", "role:moderators"),
  canAccessAllUsersGroup: rule("can_access_all_users_group", "role:everyone", {
    allowEveryone: true,
    allowNobody: false,
    requireSystemGroup: true,
    allowedSystemGroups: ["role:everyone", "role:members"],
  }),
  canCreateBotsGroup: rule("can_create_bots_group", "role:members"),
  canCreateWriteOnlyBotsGroup: rule("can_create_write_only_bots_group", "role:members"),
  canAddCustomEmojiGroup: rule("can_add_custom_emoji_group", "role:members"),
  canMentionManyUsersGroup: rule(
    "can_mention_many_users_group",
    "role:administrators",
    everyoneToo,
  ),
  canInviteUsersGroup: rule("can_invite_users_group", "role:members", { ownersOnly: true }),
  createMultiuseInviteGroup: rule("create_multiuse_invite_group", "role:administrators", {
    ownersOnly: true,
  }),
  directMessageInitiatorGroup: rule("direct_message_initiator_group", "role:everyone", everyoneToo),
  directMessagePermissionGroup: rule(
    "direct_message_permission_group",
    "role:everyone",
    everyoneToo,
  ),
  canSummarizeTopicsGroup: rule("can_summarize_topics_group", "role:everyone", everyoneToo),
} as const;

/** Settings of a channel (channels.md §2). */
export const channelSettings = {
  canAddSubscribersGroup: rule("can_add_subscribers_group", "role:nobody"),
  canAdministerChannelGroup: rule("can_administer_channel_group", "creator"),
  canCreateTopicGroup: rule("can_create_topic_group", "role:everyone", everyoneToo),
  canDeleteAnyMessageGroup: rule("can_delete_any_message_group", "role:nobody", everyoneToo),
  canDeleteOwnMessageGroup: rule("can_delete_own_message_group", "role:nobody", everyoneToo),
  canMoveMessagesOutOfChannelGroup: rule(
    "can_move_messages_out_of_channel_group",
    "role:nobody",
    everyoneToo,
  ),
  canMoveMessagesWithinChannelGroup: rule(
    "can_move_messages_within_channel_group",
    "role:nobody",
    everyoneToo,
  ),
  canRemoveSubscribersGroup: rule(
    "can_remove_subscribers_group",
    "role:administrators",
    everyoneToo,
  ),
  canResolveTopicsGroup: rule("can_resolve_topics_group", "role:nobody", everyoneToo),
  canSendMessageGroup: rule("can_send_message_group", "role:everyone", everyoneToo),
  canSubscribeGroup: rule("can_subscribe_group", "role:nobody"),
} as const;

/** Settings of a user group (user-groups.md §3.1). */
export const groupSettings = {
  canAddMembersGroup: rule("can_add_members_group", "creator"),
  canJoinGroup: rule("can_join_group", "role:nobody"),
  canLeaveGroup: rule("can_leave_group", "role:everyone", everyoneToo),
  canManageGroup: rule("can_manage_group", "creator"),
  canMentionGroup: rule("can_mention_group", "role:everyone", {
    allowEveryone: true,
    forbiddenSystemGroups: ["role:owners"],
  }),
  canRemoveMembersGroup: rule("can_remove_members_group", "role:nobody"),
} as const;
