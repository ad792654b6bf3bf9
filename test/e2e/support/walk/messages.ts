import {
  addReaction,
  addSubmessage,
  checkInAtScheduledMessage,
  createReminder,
  createScheduledMessage,
  deleteMessage,
  deleteReminder,
  deleteScheduledMessage,
  editScheduledMessage,
  markAllRead,
  markChannelRead,
  markTopicRead,
  removeReaction,
  sendMessage,
  setEditTypingStatus,
  setTypingStatus,
  updateMessage,
  updateMessageFlags,
  updateMessageFlagsInNarrow,
} from "@carillon/contract";
import { unique, type TestAccount } from "@carillon/testkit";

import { topics } from "./channels.ts";
import {
  idsOf,
  maybe,
  pick,
  some,
  someone,
  someoneInCharge,
  step,
  type Walk,
  type WalkStep,
} from "./walk.ts";

/** The content of a message; one in four mentions an account. */
export function content(walk: Walk): string {
  const { fullName } = someone(walk);
  return pick(walk, [
    unique("words"),
    "soup",
    "/poll Soup?\nyes\nno",
    `@**${fullName}** look`,
    "@**all** *hear*",
  ]);
}

/** Draws where a message goes. */
export function target(walk: Walk, by: TestAccount): Record<string, unknown> {
  if (walk.chance.below(3) > 0)
    return { type: "channel", to: pick(walk, walk.channels).id, topic: pick(walk, topics) };
  const others = idsOf(some(walk, walk.accounts));
  return { type: "direct", to: others.length > 0 ? others : [by.id] };
}

const emoji = ["+1", "car"];

/** An edit or a move. */
function change(walk: Walk): Record<string, unknown> {
  const topic = pick(walk, [...topics, ...topics.map((name) => `✔ ${name}`)]);
  const propagate_mode = pick(walk, ["change_one", "change_later", "change_all"]);
  const notification = { send_notification_to_old_thread: maybe(walk) };
  return pick(walk, [
    { content: content(walk) },
    { content: content(walk), topic, propagate_mode },
    { topic, propagate_mode, ...notification },
    { stream_id: pick(walk, walk.channels).id, propagate_mode, ...notification },
    { stream_id: pick(walk, walk.channels).id, topic, propagate_mode, ...notification },
  ]);
}

/** A time in ten to twenty minutes, UNIX seconds. */
export function soon(walk: Walk): number {
  return Math.floor(Date.now() / 1_000) + 600 + walk.chance.below(600);
}

/** Parameters with conditions, for one scheduled message in two: some of them hold when the message falls due. */
function conditions(walk: Walk): Record<string, unknown> {
  const by = [someone(walk).id];
  return pick(walk, [
    {},
    {},
    {},
    { unless: [{ kind: "reply" }] },
    { unless: [{ kind: "reply", by }, { kind: "check_in" }] },
    { unless: [{ kind: "check_in", by, interval: 60 + walk.chance.below(600) }] },
  ]);
}

/** Steps of messages, scheduled messages and typing. */
export const messageSteps: readonly WalkStep[] = [
  step(sendMessage, 8, (walk) => {
    const by = someone(walk);
    // One in four has a key, and may edit an earlier message.
    const key = walk.chance.below(4) === 0 ? { upsert_key: pick(walk, ["disk", "load"]) } : {};
    return {
      by,
      params: { ...target(walk, by), content: content(walk), ...key },
      onSuccess: ({ id, upsert_result }) => {
        if (upsert_result === undefined || upsert_result === "created")
          walk.messages.push({ id: id as number, by });
      },
    };
  }),
  step(updateMessage, 8, (walk) => {
    if (walk.messages.length === 0) return undefined;
    const { id, by } = pick(walk, walk.messages);
    const params = change(walk);
    // Only the sender may edit the content.
    return { by: "content" in params ? by : someone(walk), path: { message_id: id }, params };
  }),
  step(updateMessageFlags, 4, (walk) => {
    if (walk.messages.length === 0) return undefined;
    const by = someone(walk);
    const messages = [pick(walk, walk.messages).id, pick(walk, walk.messages).id];
    const op = pick(walk, ["add", "remove"]);
    return { by, params: { messages, op, flag: pick(walk, ["read", "starred", "collapsed"]) } };
  }),
  step(updateMessageFlagsInNarrow, 3, (walk) => {
    const anchor = pick(walk, ["newest", "oldest", "first_unread"]);
    const window = { anchor, num_before: walk.chance.below(4), num_after: walk.chance.below(4) };
    const narrow = pick(walk, [
      [],
      [["is", "unread"]],
      [{ operator: "channel", operand: pick(walk, walk.channels).id }],
    ]);
    const flag = pick(walk, ["read", "starred", "collapsed"]);
    const params = { ...window, narrow, op: pick(walk, ["add", "remove"]), flag };
    return { by: someone(walk), params };
  }),
  step(markAllRead, 1, (walk) => ({ by: someone(walk) })),
  step(markChannelRead, 1, (walk) => ({
    by: someone(walk),
    params: { stream_id: pick(walk, walk.channels).id },
  })),
  step(markTopicRead, 1, (walk) => ({
    by: someone(walk),
    params: { stream_id: pick(walk, walk.channels).id, topic_name: pick(walk, topics) },
  })),
  step(addReaction, 4, (walk) => {
    if (walk.messages.length === 0) return undefined;
    const path = { message_id: pick(walk, walk.messages).id };
    return { by: someone(walk), path, params: { emoji_name: pick(walk, emoji) } };
  }),
  step(removeReaction, 2, (walk) => {
    if (walk.messages.length === 0) return undefined;
    const path = { message_id: pick(walk, walk.messages).id };
    return { by: someone(walk), path, params: { emoji_name: pick(walk, emoji) } };
  }),
  step(addSubmessage, 2, (walk) => {
    if (walk.messages.length === 0) return undefined;
    const { id, by } = pick(walk, walk.messages);
    const params = { message_id: id, msg_type: "widget", content: '{"vote":1}' };
    return { by: pick(walk, [by, someone(walk)]), params };
  }),
  step(deleteMessage, 3, (walk) => {
    if (walk.messages.length === 0) return undefined;
    const { id, by } = pick(walk, walk.messages);
    return { by: pick(walk, [by, someoneInCharge(walk)]), path: { message_id: id } };
  }),
  step(createScheduledMessage, 3, (walk) => {
    const by = someone(walk);
    const scheduled_delivery_timestamp = soon(walk);
    return {
      by,
      params: {
        ...target(walk, by),
        ...conditions(walk),
        content: content(walk),
        scheduled_delivery_timestamp,
      },
      onSuccess: (made) =>
        void walk.scheduled.push({ id: made["scheduled_message_id"] as number, by }),
    };
  }),
  step(editScheduledMessage, 2, (walk) => {
    if (walk.scheduled.length === 0) return undefined;
    const { id, by } = pick(walk, walk.scheduled);
    const changed = { content: content(walk), scheduled_delivery_timestamp: soon(walk) };
    const params = pick(walk, [changed, { ...changed, ...conditions(walk) }, { unless: [] }]);
    return { by, path: { scheduled_message_id: id }, params };
  }),
  step(checkInAtScheduledMessage, 2, (walk) => {
    if (walk.scheduled.length === 0) return undefined;
    const { id, by } = pick(walk, walk.scheduled);
    return { by: pick(walk, [by, by, someone(walk)]), path: { scheduled_message_id: id } };
  }),
  step(deleteScheduledMessage, 1, (walk) => {
    if (walk.scheduled.length === 0) return undefined;
    const { id, by } = pick(walk, walk.scheduled);
    return { by, path: { scheduled_message_id: id } };
  }),
  step(createReminder, 3, (walk) => {
    if (walk.messages.length === 0) return undefined;
    const { id: message_id, by: author } = pick(walk, walk.messages);
    const by = pick(walk, [author, someone(walk)]);
    return {
      by,
      params: { message_id, scheduled_delivery_timestamp: soon(walk), note: content(walk) },
      onSuccess: (made) => void walk.reminders.push({ id: made["reminder_id"] as number, by }),
    };
  }),
  step(deleteReminder, 1, (walk) => {
    if (walk.reminders.length === 0) return undefined;
    const { id, by } = pick(walk, walk.reminders);
    return { by, path: { reminder_id: id } };
  }),
  step(setTypingStatus, 2, (walk) => {
    const by = someone(walk);
    const { type, to, topic } = target(walk, by);
    const where = type === "channel" ? { type, stream_id: to, topic } : { type, to };
    return { by, params: { op: pick(walk, ["start", "stop"]), ...where } };
  }),
  step(setEditTypingStatus, 1, (walk) => {
    if (walk.messages.length === 0) return undefined;
    const { id, by } = pick(walk, walk.messages);
    return { by, path: { message_id: id }, params: { op: pick(walk, ["start", "stop"]) } };
  }),
];
