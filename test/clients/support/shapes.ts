import { expect } from "chai";
import * as z from "zod";

/**
 * Data that clients parse, with the types that they expect (clients.md §3). Fields that no client here reads are
 * allowed.
 */

const absent = z.undefined().optional();

/** An anchor may be 10^16: beyond the safe integers, but still a whole number. */
const whole = z.number().refine(Number.isInteger, "must be a whole number");

/** Ids in strictly ascending order. */
export const ascendingIds = z
  .array(z.int())
  .refine((ids) => ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id)), "must ascend");

export const user = z.object({
  user_id: z.int(),
  email: z.string(),
  delivery_email: z.string().nullable(),
  full_name: z.string().min(1),
  role: z.literal([100, 200, 300, 400, 600]),
  is_owner: z.boolean(),
  is_admin: z.boolean(),
  is_guest: z.boolean(),
  is_bot: z.boolean(),
  bot_type: z.int().nullish(),
  bot_owner_id: z.int().nullish(),
  date_joined: z.string().refine((text) => !Number.isNaN(Date.parse(text)), "must be a date"),
  timezone: z.string(),
  avatar_url: z.string().nullish(),
  avatar_version: z.int().min(1),
  profile_data: z
    .record(z.string(), z.object({ value: z.string(), rendered_value: z.string().optional() }))
    .optional(),
});

/** A user in the snapshot, where the list, not a field, tells who is active. */
export const snapshotUser = z.object({ ...user.shape, is_active: absent });

const groupSetting = z.union([
  z.int(),
  z.object({ direct_members: z.array(z.int()), direct_subgroups: z.array(z.int()) }),
]);

export const channel = z.object({
  stream_id: z.int(),
  name: z.string().min(1),
  description: z.string(),
  rendered_description: z.string(),
  date_created: z.int(),
  creator_id: z.int().nullable(),
  invite_only: z.boolean(),
  is_web_public: z.boolean(),
  is_archived: z.boolean(),
  history_public_to_subscribers: z.boolean(),
  message_retention_days: z.int().nullable(),
  first_message_id: z.int().nullable(),
  folder_id: z.int().nullable(),
  topics_policy: z.string(),
  is_recently_active: z.boolean(),
  stream_weekly_traffic: z.int().nullable(),
  subscriber_count: z.int(),
  stream_post_policy: z.literal([1, 2, 3, 4]),
  is_announcement_only: z.boolean(),
  can_add_subscribers_group: groupSetting,
  can_administer_channel_group: groupSetting,
  can_send_message_group: groupSetting,
  can_subscribe_group: groupSetting,
});

const choice = z.boolean().nullable();

export const subscription = z.object({
  ...channel.shape,
  color: z.string().regex(/^#[0-9a-f]{6}$/),
  is_muted: z.boolean(),
  in_home_view: z.boolean(),
  pin_to_top: z.boolean(),
  desktop_notifications: choice,
  audible_notifications: choice,
  push_notifications: choice,
  email_notifications: choice,
  wildcard_mentions_notify: choice,
});

export const unread = z.object({
  count: z.int(),
  pms: z.array(
    z.object({ other_user_id: z.int(), sender_id: z.int(), unread_message_ids: ascendingIds }),
  ),
  streams: z.array(
    z.object({ stream_id: z.int(), topic: z.string(), unread_message_ids: ascendingIds }),
  ),
  huddles: z.array(
    z.object({
      user_ids_string: z.string().regex(/^\d+(,\d+)+$/),
      unread_message_ids: ascendingIds,
    }),
  ),
  mentions: ascendingIds,
  old_unreads_missing: z.boolean(),
});

export const userGroup = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  members: z.array(z.int()),
  direct_subgroup_ids: z.array(z.int()),
  is_system_group: z.boolean(),
  deactivated: z.boolean(),
  can_mention_group: groupSetting,
});

export const profileField = z.object({
  id: z.int(),
  type: z.int(),
  order: z.int(),
  name: z.string(),
  hint: z.string(),
  field_data: z.string(),
});

/** By user id. */
export const modernPresences = z.record(
  z.string().regex(/^\d+$/),
  z.object({ active_timestamp: z.int(), idle_timestamp: z.int() }),
);

const legacyPresence = z.object({
  client: z.string(),
  status: z.enum(["active", "idle"]),
  timestamp: z.int(),
});

/** By e-mail address. */
export const legacyPresences = z.record(
  z.string().regex(/@/),
  z.object({ aggregated: legacyPresence, website: legacyPresence }),
);

const participant = z.object({ id: z.int(), email: z.string(), full_name: z.string() });

const anyMessage = z.object({
  id: z.int(),
  client: z.string(),
  content: z.string(),
  content_type: z.literal("text/html"),
  is_me_message: z.boolean(),
  reactions: z.array(
    z.object({
      emoji_name: z.string(),
      emoji_code: z.string(),
      reaction_type: z.string(),
      user_id: z.int(),
    }),
  ),
  sender_email: z.string(),
  sender_full_name: z.string(),
  sender_id: z.int(),
  sender_realm_str: z.string(),
  timestamp: z.int(),
  // Absent or not empty.
  edit_history: z.array(z.unknown()).nonempty().optional(),
});

/** A message without its flags, as in an event. */
export const message = z.discriminatedUnion("type", [
  z.object({
    ...anyMessage.shape,
    type: z.literal("stream"),
    stream_id: z.int(),
    subject: z.string(),
    display_recipient: z.string().min(1),
  }),
  z.object({
    ...anyMessage.shape,
    type: z.literal("private"),
    stream_id: absent,
    display_recipient: z.array(participant).nonempty(),
  }),
]);

/** The answer of `GET /messages`. */
export const messageWindow = z.object({
  anchor: whole,
  found_anchor: z.boolean(),
  found_newest: z.boolean(),
  found_oldest: z.boolean(),
  history_limited: z.boolean(),
  messages: z.array(message.and(z.object({ flags: z.array(z.string()) }))),
});

/** The answer of `GET /events`. */
export const eventBatch = z.object({
  queue_id: z.string(),
  events: z.array(z.looseObject({ id: z.int(), type: z.string() })),
});

/** Parses a value as a client would; fails the test with one line for each field that could not be read. */
export function parsed<T>(shape: z.ZodType<T>, value: unknown): T {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  expect.fail(z.prettifyError(result.error));
}
