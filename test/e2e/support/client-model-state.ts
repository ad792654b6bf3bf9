import type { UnreadSnapshot } from "./client-model-unread.ts";
import type { Item } from "./client-model-lists.ts";

/** A client's state of its organization: the fields of its snapshot, updated by events only. */
export interface ModelState {
  [field: string]: unknown;
  user_id: number;
  is_guest: boolean;
  max_message_id: number;
  subscriptions: Item[];
  unsubscribed: Item[];
  never_subscribed: Item[];
  streams: Item[];
  channel_folders: Item[];
  custom_profile_fields: Item[];
  realm_users: Item[];
  realm_non_active_users: Item[];
  realm_user_groups: Item[];
  realm_bots: Item[];
  user_topics: Item[];
  drafts: Item[];
  /** Only of clients that name the section. */
  message_series: Item[];
  devices: Record<string, Item>;
  realm_emoji: Record<string, Item>;
  user_status: Record<string, Record<string, string>>;
  realm_user_settings_defaults: Record<string, unknown>;
  user_settings: Record<string, unknown>;
  starred_messages: number[];
  recent_private_conversations: Array<{ user_ids: number[]; max_message_id: number }>;
  unread_msgs: UnreadSnapshot;
}
