/** Every declared operation, one line a file: what is missing here is not served. */

export * from "./messages/render.ts";
export * from "./messages/send.ts";
export * from "./scheduled-messages/create.ts";
export * from "./scheduled-messages/delete.ts";
export * from "./scheduled-messages/edit.ts";
export * from "./scheduled-messages/list.ts";
export * from "./messages/get.ts";
export * from "./messages/get-one.ts";
export * from "./messages/get-history.ts";
export * from "./messages/get-read-receipts.ts";
export * from "./messages/match-narrow.ts";
export * from "./messages/update-flags.ts";

export * from "./server/get-emoji-data.ts";
export * from "./server/server-settings.ts";

export * from "./users/create-user.ts";
export * from "./users/deactivate-user.ts";
export * from "./users/dev-fetch-api-key.ts";
export * from "./users/fetch-api-key.ts";
export * from "./users/get-avatar.ts";
export * from "./users/get-own-user.ts";
export * from "./users/get-user.ts";
export * from "./users/get-users.ts";
export * from "./users/reactivate-user.ts";
export * from "./users/regenerate-api-key.ts";
export * from "./users/update-user.ts";
export * from "./users/update-user-by-email.ts";

export * from "./bots/create-bot.ts";
export * from "./bots/deactivate-bot.ts";
export * from "./bots/get-bot-api-key.ts";
export * from "./bots/list-bots.ts";
export * from "./bots/regenerate-bot-api-key.ts";

export * from "./channels/add-default-channel.ts";
export * from "./channels/add-subscriptions.ts";
export * from "./channels/archive-channel.ts";
export * from "./channels/create-channel.ts";
export * from "./channels/delete-topic.ts";
export * from "./channels/get-channel.ts";
export * from "./channels/get-channel-email-address.ts";
export * from "./channels/get-channel-id.ts";
export * from "./channels/get-subscription-status.ts";
export * from "./channels/list-channels.ts";
export * from "./channels/list-subscribers.ts";
export * from "./channels/list-subscriptions.ts";
export * from "./channels/list-topics.ts";
export * from "./channels/remove-default-channel.ts";
export * from "./channels/remove-subscriptions.ts";
export * from "./channels/update-channel.ts";
export * from "./channels/update-subscription-properties.ts";
export * from "./channels/update-subscriptions.ts";

export * from "./channel-folders/create.ts";
export * from "./channel-folders/list.ts";
export * from "./channel-folders/reorder.ts";
export * from "./channel-folders/update.ts";

export * from "./user-groups/create-user-group.ts";
export * from "./user-groups/deactivate-user-group.ts";
export * from "./user-groups/get-membership.ts";
export * from "./user-groups/list-members.ts";
export * from "./user-groups/list-subgroups.ts";
export * from "./user-groups/list-user-groups.ts";
export * from "./user-groups/update-members.ts";
export * from "./user-groups/update-subgroups.ts";
export * from "./user-groups/update-user-group.ts";

export * from "./settings/get-settings.ts";
export * from "./settings/update-settings.ts";

export * from "./user-topics/mute-topic.ts";
export * from "./user-topics/set-topic-policy.ts";

export * from "./realm/list-emoji.ts";
export * from "./realm/update-realm.ts";

export * from "./events/delete-queue.ts";
export * from "./events/get-events.ts";
export * from "./events/register.ts";

export * from "./presence/get-presence.ts";
export * from "./presence/list-presences.ts";
export * from "./presence/update-presence.ts";
export * from "./typing/set-edit-typing-status.ts";
export * from "./typing/set-typing-status.ts";
export * from "./users/get-status.ts";
export * from "./users/mute-user.ts";
export * from "./users/unmute-user.ts";
export * from "./users/update-status.ts";
