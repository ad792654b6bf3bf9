import { permission } from "./permission.ts";

/**
 * Every permission that groups hold, declared once (user-groups.md §3). The parameters that set them, their fields in
 * answers and snapshots, their columns, defaults and checks all follow from these tables.
 */

const everyoneToo = { allowEveryone: true };

/** Permissions of the organization (user-groups.md §3.2). */
export const realmPermissions = {
  canManageAllGroups: permission("can_manage_all_groups", "role:owners", {
    allowNobody: false,
    ownersOnly: true,
  }),
  canCreateGroups: permission("can_create_groups", "role:members", { ownersOnly: true }),
  canCreatePublicChannelGroup: permission("can_create_public_channel_group", "role:members"),
  canCreatePrivateChannelGroup: permission("can_create_private_channel_group", "role:members"),
  canCreateWebPublicChannelGroup: permission("can_create_web_public_channel_group", "role:owners", {
    requireSystemGroup: true,
    allowedSystemGroups: ["role:moderators", "role:administrators", "role:owners", "role:nobody"],
  }),
  canAddSubscribersGroup: permission("can_add_subscribers_group", "role:members"),
  canDeleteAnyMessageGroup: permission("can_delete_any_message_group", "role:administrators"),
  canDeleteOwnMessageGroup: permission(
    "can_delete_own_message_group",
    "role:everyone",
    everyoneToo,
  ),
  canMoveMessagesBetweenChannelsGroup: permission(
    "can_move_messages_between_channels_group",
    "role:members",
  ),
  canMoveMessagesBetweenTopicsGroup: permission(
    "can_move_messages_between_topics_group",
    "role:everyone",
    everyoneToo,
  ),
  canResolveTopicsGroup: permission("can_resolve_topics_group", "role:everyone", everyoneToo),
  canSetTopicsPolicyGroup: permission("can_set_topics_policy_group", "role:members", everyoneToo),
  canSetDeleteMessagePolicyGroup: permission(
    "can_set_delete_message_policy_group",
    "role:moderators",
  ),
  canAccessAllUsersGroup: permission("can_access_all_users_group", "role:everyone", {
    allowEveryone: true,
    allowNobody: false,
    requireSystemGroup: true,
    allowedSystemGroups: ["role:everyone", "role:members"],
  }),
  canCreateBotsGroup: permission("can_create_bots_group", "role:members"),
  canCreateWriteOnlyBotsGroup: permission("can_create_write_only_bots_group", "role:members"),
  canAddCustomEmojiGroup: permission("can_add_custom_emoji_group", "role:members"),
  canMentionManyUsersGroup: permission(
    "can_mention_many_users_group",
    "role:administrators",
    everyoneToo,
  ),
  canInviteUsersGroup: permission("can_invite_users_group", "role:members", { ownersOnly: true }),
  createMultiuseInviteGroup: permission("create_multiuse_invite_group", "role:administrators", {
    ownersOnly: true,
  }),
  directMessageInitiatorGroup: permission(
    "direct_message_initiator_group",
    "role:everyone",
    everyoneToo,
  ),
  directMessagePermissionGroup: permission(
    "direct_message_permission_group",
    "role:everyone",
    everyoneToo,
  ),
  canSummarizeTopicsGroup: permission("can_summarize_topics_group", "role:everyone", everyoneToo),
} as const;

/** Permissions of a channel (channels.md §2). */
export const channelPermissions = {
  canAddSubscribersGroup: permission("can_add_subscribers_group", "role:nobody"),
  canAdministerChannelGroup: permission("can_administer_channel_group", "creator"),
  canCreateTopicGroup: permission("can_create_topic_group", "role:everyone", {
    allowEveryone: true,
    note: "Must be `role:everyone` for a private channel with protected history.",
  }),
  canDeleteAnyMessageGroup: permission("can_delete_any_message_group", "role:nobody", everyoneToo),
  canDeleteOwnMessageGroup: permission("can_delete_own_message_group", "role:nobody", everyoneToo),
  canMoveMessagesOutOfChannelGroup: permission(
    "can_move_messages_out_of_channel_group",
    "role:nobody",
    everyoneToo,
  ),
  canMoveMessagesWithinChannelGroup: permission(
    "can_move_messages_within_channel_group",
    "role:nobody",
    everyoneToo,
  ),
  canRemoveSubscribersGroup: permission(
    "can_remove_subscribers_group",
    "role:administrators",
    everyoneToo,
  ),
  canResolveTopicsGroup: permission("can_resolve_topics_group", "role:nobody", everyoneToo),
  canSendMessageGroup: permission("can_send_message_group", "role:everyone", everyoneToo),
  canSubscribeGroup: permission("can_subscribe_group", "role:nobody"),
} as const;

/** Permissions of a user group (user-groups.md §3.1). */
export const groupPermissions = {
  canAddMembersGroup: permission("can_add_members_group", "creator"),
  canJoinGroup: permission("can_join_group", "role:nobody"),
  canLeaveGroup: permission("can_leave_group", "role:everyone", everyoneToo),
  canManageGroup: permission("can_manage_group", "creator"),
  canMentionGroup: permission("can_mention_group", "role:everyone", {
    allowEveryone: true,
    forbiddenSystemGroups: ["role:owners"],
  }),
  canRemoveMembersGroup: permission("can_remove_members_group", "role:nobody"),
} as const;

/** Permissions of a series of messages (once-and-again.md §3.5). The snapshot does not list them among the supported ones. */
export const seriesPermissions = {
  canManageGroup: permission("can_manage_group", "role:nobody"),
} as const;

export type RealmPermission = keyof typeof realmPermissions;
export type ChannelPermission = keyof typeof channelPermissions;
export type GroupPermission = keyof typeof groupPermissions;
