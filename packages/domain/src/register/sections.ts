import type { Section } from "./context/section.ts";
import { alertWords } from "./sections/alert-words.ts";
import { channels } from "./sections/channels.ts";
import { mutedTopics } from "./sections/muted-topics.ts";
import { newestMessage } from "./sections/newest-message.ts";
import { recentConversations } from "./sections/recent-conversations.ts";
import { scheduledMessages } from "./sections/scheduled-messages.ts";
import { starredMessages } from "./sections/starred-messages.ts";
import { subscriptions } from "./sections/subscriptions.ts";
import { unreadMessages } from "./sections/unread-messages.ts";
import { userTopics } from "./sections/user-topics.ts";
import { channelFolders } from "./sections/channel-folders.ts";
import { customProfileFields } from "./sections/custom-profile-fields.ts";
import { defaultChannels } from "./sections/default-channels.ts";
import { emptySections } from "./sections/empty.ts";
import { olderSettings } from "./sections/older-settings.ts";
import { ownSettings } from "./sections/own-settings.ts";
import { realmBots } from "./sections/realm-bots.ts";
import { realmUsers } from "./sections/realm-users.ts";
import { realm } from "./sections/realm.ts";
import { settingsDefaults } from "./sections/settings-defaults.ts";
import { userGroups } from "./sections/user-groups.ts";
import { mutedUsers } from "./sections/muted-users.ts";
import { presence } from "./sections/presence.ts";
import { userStatus } from "./sections/user-status.ts";

/** Every section of the snapshot, one line each (events.md §1.2). */
export const sections: readonly Section[] = [
  newestMessage,
  unreadMessages,
  starredMessages,
  alertWords,
  subscriptions,
  channels,
  recentConversations,
  userTopics,
  mutedTopics,
  scheduledMessages,
  realm,
  realmUsers,
  realmBots,
  userGroups,
  customProfileFields,
  settingsDefaults,
  ownSettings,
  ...olderSettings,
  defaultChannels,
  channelFolders,
  ...emptySections,
  presence,
  userStatus,
  mutedUsers,
];
