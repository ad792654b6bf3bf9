import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const id = z.int().positive();

/** Why a message is pushed to a user (push.md §9). */
const pushTriggers = [
  "direct_message",
  "mention",
  "followed_topic_wildcard",
  "wildcard",
  "followed_topic",
  "channel",
] as const;

export type PushTrigger = (typeof pushTriggers)[number];

const push = z.strictObject({
  userId: id,
  messageId: id,
  trigger: z.enum(pushTriggers),
  /** The user group through which the account is mentioned. */
  groupId: id.optional(),
});

const intent = z.strictObject({ pushes: z.array(push).min(1) });

/** A message to be pushed to an account. No other intent has the same account and message. */
export type PlannedPush = z.infer<typeof push>;

/** Attempts continue for about two hours; after that a notification is of no use. */
export const sendPushes = intentJob({
  name: "send-pushes",
  title: "Push notifications",
  queue: "bouncer",
  about: "Pushes messages to devices of their receivers, by one call of the push bouncer.",
  intent,
  retry: backoff({ attempts: 36, first: "5s", cap: "5m", jitter: 0.5 }),
  deadline: "25s",
});
