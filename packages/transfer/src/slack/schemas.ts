import * as z from "zod";

/** Members that a program may have written in any way are optional, and absent when they are of another type. */
const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);
const number = z.number().optional().catch(undefined);

/** An element of `users.json`. */
export const slackUser = z.object({
  id: z.string().min(1).max(100),
  name: text,
  deleted: flag,
  real_name: text,
  tz: text,
  is_admin: flag,
  is_owner: flag,
  is_primary_owner: flag,
  is_restricted: flag,
  is_ultra_restricted: flag,
  is_bot: flag,
  is_app_user: flag,
  is_stranger: flag,
  profile: z
    .object({
      real_name: text,
      display_name: text,
      email: text,
      image_original: text,
      title: text,
      phone: text,
    })
    .optional()
    .catch(undefined),
});
export type SlackUser = z.infer<typeof slackUser>;

/** An element of `channels.json`, `groups.json`, `dms.json` and `mpims.json`. */
export const slackConversation = z.object({
  id: z.string().min(1).max(100),
  name: text,
  created: number,
  creator: text,
  is_archived: flag,
  is_general: flag,
  members: z.array(z.string()).max(1_000_000).optional().catch(undefined),
  topic: z.object({ value: text }).optional().catch(undefined),
  purpose: z.object({ value: text }).optional().catch(undefined),
  pins: z.array(z.unknown()).optional().catch(undefined),
});
export type SlackConversation = z.infer<typeof slackConversation>;

const slackFile = z.object({
  id: z.string().min(1).max(100),
  name: text,
  title: text,
  mimetype: text,
  mode: text,
  url_private: text,
  permalink: text,
});
export type SlackFile = z.infer<typeof slackFile>;

/** An attachment of the older kind, which programs send. */
export const slackAttachment = z.object({
  fallback: text,
  pretext: text,
  author_name: text,
  title: text,
  title_link: text,
  text,
  fields: z
    .array(z.object({ title: text, value: text }))
    .max(100)
    .optional()
    .catch(undefined),
  footer: text,
  image_url: text,
  from_url: text,
  original_url: text,
  is_share: flag,
  is_msg_unfurl: flag,
  blocks: z.array(z.unknown()).max(1000).optional().catch(undefined),
});
export type SlackAttachment = z.infer<typeof slackAttachment>;

/** A message of a day's file. */
export const slackMessage = z.object({
  type: text,
  subtype: text,
  ts: z.string().regex(/^\d{1,11}(?:\.\d{1,6})?$/),
  thread_ts: text,
  user: text,
  bot_id: text,
  username: text,
  hidden: flag,
  text,
  reply_count: number,
  edited: z.object({ ts: text }).optional().catch(undefined),
  user_profile: z
    .object({ real_name: text, display_name: text, name: text })
    .optional()
    .catch(undefined),
  bot_profile: z.object({ name: text }).optional().catch(undefined),
  blocks: z.array(z.unknown()).max(1000).optional().catch(undefined),
  attachments: z.array(z.unknown()).max(1000).optional().catch(undefined),
  files: z.array(z.unknown()).max(1000).optional().catch(undefined),
  file: z.unknown().optional(),
  reactions: z
    .array(z.object({ name: z.string(), users: z.array(z.string()), count: number }))
    .optional()
    .catch(undefined),
});
export type SlackMessage = z.infer<typeof slackMessage>;

export { slackFile };
