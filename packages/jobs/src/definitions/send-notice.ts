import { z } from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.discriminatedUnion("kind", [
  /** Somebody else has subscribed the user to channels that existed. */
  z.strictObject({
    kind: z.literal("subscribed"),
    actorId: z.int().positive(),
    userId: z.int().positive(),
    channelIds: z.array(z.int().positive()).min(1),
  }),
  /** A new channel is announced in the organization's channel for that. */
  z.strictObject({
    kind: z.literal("channel-created"),
    actorId: z.int().positive(),
    channelId: z.int().positive(),
  }),
  /** Somebody has changed a channel: lines of the audit log tell what was and what is. */
  z.strictObject({
    kind: z.literal("channel-changed"),
    actorId: z.int().positive(),
    channelId: z.int().positive(),
    auditIds: z.array(z.int().positive()).min(1),
    /** Who sees the channel and its history since. */
    privacy: z.strictObject({
      inviteOnly: z.boolean(),
      isWebPublic: z.boolean(),
      historyPublicToSubscribers: z.boolean(),
    }),
  }),
  /** A bot has sent to a channel that nobody is subscribed to. */
  z.strictObject({
    kind: z.literal("bot-unheard"),
    botId: z.int().positive(),
    channelId: z.int().positive(),
  }),
  /** Somebody else has added the users to a user group, or removed them from it. */
  z.strictObject({
    kind: z.literal("group-membership"),
    actorId: z.int().positive(),
    groupId: z.int().positive(),
    userIds: z.array(z.int().positive()).min(1),
    change: z.enum(["added", "removed"]),
  }),
]);

export type NoticeIntent = z.infer<typeof intent>;

/** What the notification bot tells after the commit, because it may be much and nobody waits for it. */
export const sendNotice = intentJob({
  name: "send-notice",
  title: "Message of the notification bot",
  queue: "maintenance",
  about: "Sends what the notification bot has to say about something that has happened.",
  intent,
  retry: backoff({ attempts: 12, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
