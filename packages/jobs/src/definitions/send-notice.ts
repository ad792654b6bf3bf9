import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.discriminatedUnion("kind", [
  /** Another user has subscribed the user to existing channels. */
  z.strictObject({
    kind: z.literal("subscribed"),
    actorId: z.int().positive(),
    userId: z.int().positive(),
    channelIds: z.array(z.int().positive()).min(1),
  }),
  /** A new channel is announced in the organization's announcement channel. */
  z.strictObject({
    kind: z.literal("channel-created"),
    actorId: z.int().positive(),
    channelId: z.int().positive(),
  }),
  /** A new person is announced in the organization's channel for sign-ups. */
  z.strictObject({ kind: z.literal("signed-up"), userId: z.int().positive() }),
  /** A person has joined by an invitation; `makerId` is the account that made the invitation. */
  z.strictObject({
    kind: z.literal("invitation-accepted"),
    makerId: z.int().positive(),
    userId: z.int().positive(),
  }),
  /** A user has changed a channel: entries of the audit log hold the old and new values. */
  z.strictObject({
    kind: z.literal("channel-changed"),
    actorId: z.int().positive(),
    channelId: z.int().positive(),
    auditIds: z.array(z.int().positive()).min(1),
    /** Who can see the channel and its history since the change. */
    privacy: z.strictObject({
      inviteOnly: z.boolean(),
      isWebPublic: z.boolean(),
      historyPublicToSubscribers: z.boolean(),
    }),
  }),
  /**
   * A bot has sent to a channel without subscribers. The kind keeps its old name, because workers of the previous release
   * read it during an upgrade.
   */
  z.strictObject({
    kind: z.literal("bot-unheard"),
    botId: z.int().positive(),
    channelId: z.int().positive(),
  }),
  /** Another user has added the users to a user group, or removed them from it. */
  z.strictObject({
    kind: z.literal("group-membership"),
    actorId: z.int().positive(),
    groupId: z.int().positive(),
    userIds: z.array(z.int().positive()).min(1),
    change: z.enum(["added", "removed"]),
  }),
  /** An event subscription has been failing for an hour, or was disabled. */
  z.strictObject({
    kind: z.literal("event-subscription"),
    subscriptionId: z.int().positive(),
    what: z.enum(["failing", "disabled"]),
  }),
]);

/** Messages of the notification bot that are sent after the commit, because they may be many and are not urgent. */
export const sendNotice = intentJob({
  name: "send-notice",
  title: "Message of the notification bot",
  queue: "maintenance",
  about: "Sends the messages of the notification bot about an event.",
  intent,
  retry: backoff({ attempts: 12, first: "1s", cap: "5m", jitter: 0.5 }),
  deadline: "20s",
});
