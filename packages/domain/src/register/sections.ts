import type { Section } from "./section.ts";
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
  presence,
  userStatus,
  mutedUsers,
];
