import { personalSettings } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import {
  type Notice,
  notice,
  type NoticePart,
  paragraph,
  silentUser,
  verbatim,
  topicLink,
} from "@carillon/markdown";
import {
  type Account,
  type Channel,
  type OutgoingMessage,
  type PostingChannel,
  type Realm,
  visibilityPolicy,
} from "@carillon/model";

import type { LockedChannels } from "../removal/locked-channels.ts";
import { composeNotice } from "../send/notice.ts";
import type { WantedChange } from "./check-change.ts";
import { isOnlyToggle, type Move } from "./check-move.ts";

/** A finished move, as notices describe it. */
interface Moved {
  readonly move: Move;
  /** Number of messages. */
  readonly count: number;
  /** Whether the account sees no messages left in the topic. */
  readonly whole: boolean;
}

/** The organization, the bot that sends the notices, and the account that moved the messages. */
export interface NoticeContext {
  readonly realm: Realm;
  readonly bot: Account;
  readonly actor: Account;
}

/**
 * Composes the notification bot's notices of a move, for the topics where the request asks for them (messages.md §6.2).
 * A notice does not name a place that some of its readers cannot see.
 * @param source the source channel, as posting needs it
 */
export async function moveNotices(
  tx: Tx,
  { realm, bot, actor }: NoticeContext,
  { move, count, whole }: Moved,
  {
    source,
    lockedChannels,
  }: { readonly source: PostingChannel; readonly lockedChannels: LockedChannels },
  { notifyOldTopic, notifyNewTopic }: Pick<WantedChange, "notifyOldTopic" | "notifyNewTopic">,
): Promise<OutgoingMessage[]> {
  if (isOnlyToggle(move) || (!notifyOldTopic && !notifyNewTopic)) return [];
  const { from, to } = move;
  const named = namer(realm, lockedChannels);
  const what = verbatim(whole ? "This topic" : count === 1 ? "A message" : `${count} messages`);
  const were = verbatim(whole || count === 1 ? "was" : "were");
  const who = silentUser(actor);
  const say = (channel: PostingChannel, topic: string, text: Notice) =>
    composeNotice(tx, {
      bot,
      target: { kind: "channel", channel },
      topic,
      notice: text,
      readBy: [actor.id],
    });
  const target = named(to, from.channel);
  const moved = whole
    ? paragraph`${what} ${were} moved to ${target} by ${who}.`
    : paragraph`${what} ${were} moved from this topic to ${target} by ${who}.`;
  const arrived = paragraph`${what} ${were} moved here from ${named(from, to.channel)} by ${who}.`;
  return [
    ...(notifyOldTopic ? [await say(source, from.topic, notice(moved))] : []),
    ...(notifyNewTopic ? [await say(to.channel, to.topic, notice(arrived))] : []),
  ];
}

interface Place {
  readonly channel: Pick<Channel, "id" | "name">;
  readonly topic: string;
}

/** Returns how a notice names a place, given the channel in which it is read. */
type Namer = (place: Place, readIn: Pick<Channel, "id">) => NoticePart;

function namer({ emptyTopicDisplayName }: Realm, { readers }: LockedChannels): Namer {
  return ({ channel, topic }, readIn) =>
    areAmong(readers.get(readIn.id), readers.get(channel.id))
      ? topicLink(channel, topic, emptyTopicDisplayName)
      : verbatim("another channel");
}

/** Whether `all` contains all of the ids; undefined stands for all accounts. */
function areAmong(ids: readonly number[] | undefined, all: readonly number[] | undefined): boolean {
  if (!all || all === ids) return true;
  const set = new Set(all);
  return ids?.every((id) => set.has(id)) ?? false;
}

/** Seconds in which toggling a topic back deletes the earlier notice instead of sending another one. */
const grace = 60;

const words = {
  resolved: " has marked this topic as resolved.",
  unresolved: " has marked this topic as unresolved.",
} as const;

const last = statement({
  name: "last-notice-of-topic",
  text: `SELECT m.id FROM (
      SELECT id, sender_id, content, sent_at FROM messages
      WHERE recipient_id = $1 AND is_channel AND lower(topic) = lower($2) ORDER BY id DESC LIMIT 1
    ) m
    WHERE m.sender_id = $3 AND m.sent_at >= now() - make_interval(secs => ${grace})
      AND (right(m.content, ${words.resolved.length}) = '${words.resolved}'
        OR right(m.content, ${words.unresolved.length}) = '${words.unresolved}')`,
});

const lock = statement({
  name: "undone-notice-lock",
  text: "SELECT id FROM messages WHERE realm_id = $1 AND id = $2 FOR NO KEY UPDATE",
});

/**
 * Finds and locks the topic's last message if it is a notice recent enough to delete. Runs after the messages have moved,
 * so it misses no later message.
 * @returns the id of the notice
 */
export async function findUndoneNotice(
  tx: Tx,
  { id: botId, realmId }: Account,
  { to }: Move,
): Promise<number | undefined> {
  const found = await tx.first(last, [to.channel.recipientId, to.topic, botId]);
  if (!found) return undefined;
  const [held] = await tx.lock({ name: "messages", keys: [found.id] }, lock, [realmId, found.id]);
  return held?.id;
}

const unread = statement({
  name: "wanting-resolve-notice",
  text: `SELECT coalesce(array_agg(u.id), '{}') AS ids FROM subscriptions s JOIN users u ON u.id = s.user_id
    LEFT JOIN user_topics t ON t.user_id = u.id AND t.channel_id = s.channel_id AND lower(t.topic) = lower($2)
    WHERE s.channel_id = $1 AND s.active AND s.is_user_active AND u.id <> $3 AND CASE coalesce(
        u.settings->>'resolved_topic_notice_auto_read_policy', '${personalSettings.resolved_topic_notice_auto_read_policy.initial}')
      WHEN 'never' THEN true WHEN 'except_followed' THEN t.visibility_policy = ${visibilityPolicy.followed} ELSE false END`,
});

/**
 * Composes the notification bot's notice that a topic was resolved or unresolved; unread for accounts whose settings
 * ask for it.
 */
export async function resolveNotice(
  tx: Tx,
  { bot, actor }: NoticeContext,
  { to, toggle }: Move & { readonly toggle: "resolved" | "unresolved" },
): Promise<OutgoingMessage> {
  const { channel, topic } = to;
  const who = silentUser(actor);
  const text = notice(
    toggle === "resolved"
      ? paragraph`${who} has marked this topic as resolved.`
      : paragraph`${who} has marked this topic as unresolved.`,
  );
  const [composed, wanting] = await Promise.all([
    composeNotice(tx, { bot, target: { kind: "channel", channel }, topic, notice: text }),
    tx.first(unread, [channel.id, topic, actor.id]),
  ]);
  return { ...composed, unreadBy: wanting?.ids ?? [] };
}
