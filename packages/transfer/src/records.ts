import { roles } from "@carillon/contract";
import * as z from "zod";

/**
 * The columns that the import checks in records of the main tables. Records may have more columns of their table, by the
 * names of the columns. A column that is absent gets its default. Ids are those of the source: the import gives all rows
 * new ones. Records of other tables are rows of the table.
 */

const id = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const time = z.iso.datetime({ offset: true });

/** A file in the folder `files/`. Its name there is its SHA-256. */
const content = {
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Bytes. */
  size: z.int().min(0),
};
export const contentSchema = z.strictObject(content);
export type Content = z.infer<typeof contentSchema>;

/** `realms.ndjson`: exactly one record. */
export const organizationRecord = z.looseObject({
  id,
  name: z.string().min(1).max(40),
  subdomain: z.string().max(40).optional(),
  description: z.string().max(1000).optional(),
});
export type OrganizationRecord = z.infer<typeof organizationRecord>;

/** `users.ndjson`: accounts of people and bots. */
export const accountRecord = z.looseObject({
  id,
  full_name: z.string().min(1).max(100),
  delivery_email: z.string().min(3).max(254),
  /** Default: member. */
  role: z.literal(Object.values(roles)).optional(),
  /** Default: true. */
  is_active: z.boolean().optional(),
  /** Default: false. A bot needs `bot_type`, usually 1. */
  is_bot: z.boolean().optional(),
  bot_type: z.int().nullish(),
  bot_owner_id: id.nullish(),
  date_joined: time.optional(),
  timezone: z.string().max(40).optional(),
  password_hash: z.string().nullish(),
  /** `U` for an uploaded picture. Its two sizes are records of `pictures.ndjson`: ID/FILE.png and ID/FILE-medium.png. */
  avatar_source: z.enum(["G", "U"]).optional(),
  avatar_file: z.string().max(24).nullish(),
});
export type AccountRecord = z.infer<typeof accountRecord>;

/** `named_user_group.ndjson`. Every organization has the system groups, such as `role:members`. */
export const groupRecord = z.looseObject({
  id,
  name: z.string().min(1).max(100),
  description: z.string().optional(),
  deactivated: z.boolean().optional(),
});
export type GroupRecord = z.infer<typeof groupRecord>;

/** `user_group_member.ndjson`. */
export const groupMemberRecord = z.looseObject({ group_id: id, user_id: id });
export type GroupMemberRecord = z.infer<typeof groupMemberRecord>;

/** `channels.ndjson`. */
export const channelRecord = z.looseObject({
  id,
  name: z.string().min(1).max(60),
  description: z.string().max(1024).optional(),
  creator_id: id.nullish(),
  date_created: time.optional(),
  /** Whether the channel is private. Default: false. */
  invite_only: z.boolean().optional(),
  /** Whether new subscribers see older messages of a private channel. Default: true. */
  history_public_to_subscribers: z.boolean().optional(),
  is_archived: z.boolean().optional(),
});
export type ChannelRecord = z.infer<typeof channelRecord>;

/** `subscriptions.ndjson`. */
export const subscriptionRecord = z.looseObject({
  channel_id: id,
  user_id: id,
  /** False after the account has left the channel. Default: true. */
  active: z.boolean().optional(),
  is_muted: z.boolean().optional(),
  pin_to_top: z.boolean().optional(),
});
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

/** Bits of `copies`. */
export const copyFlags = {
  read: 1,
  starred: 2,
  collapsed: 4,
} as const;

const reaction = z.strictObject({
  user_id: id,
  /** Default: `unicode_emoji`. With `realm_emoji`, the code is the id of the emoji's record. */
  reaction_type: z.enum(["unicode_emoji", "realm_emoji", "zulip_extra_emoji"]).optional(),
  emoji_name: z.string().min(1).max(100),
  /** Default: that of the name. */
  emoji_code: z.string().min(1).max(100).optional(),
});
export type ReactionRecord = z.infer<typeof reaction>;

/** `messages.ndjson`, by ascending id, which is the order in which clients show messages. */
export const messageRecord = z.looseObject({
  id,
  sender_id: id,
  /** The channel of a channel message, which also has a topic. */
  channel_id: id.optional(),
  topic: z.string().max(60).optional(),
  /** The accounts of the conversation of a direct message, with or without the sender. */
  to: z.array(id).max(10_000).optional(),
  /** A record of `recipients.ndjson`, instead of `channel_id` and `to`. */
  recipient_id: id.optional(),
  sent_at: time,
  /** Markdown. */
  content: z.string(),
  /** Accounts with a copy, and its flags. Default: the subscribers or members of the conversation, with the flag `read`. */
  copies: z.array(z.tuple([id, z.int().min(0).max(65_535)])).optional(),
  reactions: z.array(reaction).optional(),
});
export type MessageRecord = z.infer<typeof messageRecord>;

/** `attachments.ndjson`: uploaded files. A message refers to one with a link to `/user_uploads/PATH_ID`. */
export const attachmentRecord = z.looseObject({
  id,
  owner_id: id,
  /** Any path of the source that is unique in the file, such as `3/name.png`. */
  path_id: z.string().min(1).max(320),
  name: z.string().min(1),
  content_type: z.string().max(200).optional(),
  created_at: time.optional(),
  ...content,
});
export type AttachmentRecord = z.infer<typeof attachmentRecord>;

/** `realm_emoji.ndjson`: custom emoji. */
export const emojiRecord = z.looseObject({
  id,
  name: z.string().min(1).max(100),
  author_id: id,
  deactivated: z.boolean().optional(),
  /** Its picture is a record of `pictures.ndjson`: ID/emoji/images/FILE. Without one, the emoji is left out. */
  file: z.string().max(16).optional(),
});
export type EmojiRecord = z.infer<typeof emojiRecord>;

/** Schemas of records by table. Records of tables that are not listed are not checked here. */
export const recordSchemas = {
  realms: organizationRecord,
  users: accountRecord,
  named_user_group: groupRecord,
  user_group_member: groupMemberRecord,
  channels: channelRecord,
  subscriptions: subscriptionRecord,
  messages: messageRecord,
  attachments: attachmentRecord,
  realm_emoji: emojiRecord,
} as const;

/** The record of a table. */
export type RecordOf<Table extends string> = Table extends keyof typeof recordSchemas
  ? z.infer<(typeof recordSchemas)[Table]>
  : Readonly<Record<string, unknown>>;
