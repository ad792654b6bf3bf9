import * as z from "zod";

/** One participant of a direct message. */
const participant = z.strictObject({
  id: z.number(),
  email: z.string(),
  full_name: z.string(),
  is_mirror_dummy: z.boolean(),
});

/** One change of a message, stored and sent in the same form (messages.md §6.3). */
const editHistoryEntry = z.strictObject({
  user_id: z.number().nullable(),
  timestamp: z.number(),
  prev_content: z.string().optional(),
  prev_rendered_content: z.string().optional(),
  prev_stream: z.number().optional(),
  stream: z.number().optional(),
  prev_topic: z.string().optional(),
  topic: z.string().optional(),
});

export type EditHistoryEntry = z.input<typeof editHistoryEntry>;

/** A message as clients get it (messages.md §1.4). Times are whole UNIX seconds. */
export const messageResource = z.strictObject({
  id: z.number(),
  type: z.enum(["stream", "private"]),
  /** Channel messages only. */
  stream_id: z.number().optional(),
  /** The topic; always empty for direct messages. */
  subject: z.string(),
  content: z.string(),
  content_type: z.enum(["text/html", "text/x-markdown"]),
  timestamp: z.number(),
  sender_id: z.number(),
  sender_email: z.string(),
  sender_full_name: z.string(),
  sender_realm_str: z.string(),
  avatar_url: z.string().nullable(),
  client: z.string(),
  recipient_id: z.number(),
  /** The channel's name, or all participants of a direct message. */
  display_recipient: z.union([z.string(), z.array(participant)]),
  is_me_message: z.boolean(),
  flags: z.array(z.string()),
  reactions: z.array(
    z.strictObject({
      emoji_name: z.string(),
      emoji_code: z.string(),
      reaction_type: z.string(),
      user_id: z.number(),
      /** Sent only to the programs that read it, such as the terminal client (clients.md §2.3). */
      user: z.strictObject({ id: z.number(), email: z.string(), full_name: z.string() }).optional(),
    }),
  ),
  submessages: z.array(
    z.strictObject({
      id: z.number(),
      message_id: z.number(),
      sender_id: z.number(),
      msg_type: z.string(),
      content: z.string(),
    }),
  ),
  topic_links: z.array(z.strictObject({ text: z.string(), url: z.string() })),
  last_edit_timestamp: z.number().optional(),
  last_moved_timestamp: z.number().optional(),
  edit_history: z.array(editHistoryEntry).optional(),
  match_content: z.string().optional(),
  match_subject: z.string().optional(),
});

export type MessageResource = z.input<typeof messageResource>;
