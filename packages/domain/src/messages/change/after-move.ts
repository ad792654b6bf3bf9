import type { NewEvent } from "@carillon/contract";
import { notNull, type RowOf, statement, type Tx, typed } from "@carillon/db";
import {
  type Account,
  flag,
  hasProtectedHistory,
  loadFolding,
  loadPostingChannels,
  type OutgoingMessage,
  storeTopicPolicies,
  topicPolicyEvents,
  visibilityPolicy,
} from "@carillon/model";

import { recordPushRemovals } from "../../notifications/record-removals.ts";
import { readEvents, unstarredEvents } from "../flags/change-flag.ts";
import {
  type NewFirst,
  newFirsts,
  type Places,
  removeMessages,
  storeFirsts,
} from "../removal/remove-messages.ts";
import { sendMessages } from "../send/send.ts";
import type { ChangeToApply, LockedChange } from "./lock-change.ts";
import { changesChannel, type Move } from "./check-move.ts";
import { moveNotices, resolveNotice, type NoticeContext } from "./move-notices.ts";
import { sourceHasMessages, possibleHolders } from "./store-change.ts";

interface LockedMove extends LockedChange {
  readonly places: Places;
}

interface MadeMove extends ChangeToApply {
  readonly move: Move;
  /** Whether the target topic already had messages. */
  readonly merges: boolean;
  /** The organization's notification bot, which sends the notices. */
  readonly bot: Account;
  /** Id of an earlier notice that is deleted instead of sending another one. */
  readonly undoneNoticeId: number | undefined;
}

/** Applies the consequences of a move: the channels' first messages, the topic visibility policies, the notices. */
export async function afterMove(
  tx: Tx,
  locked: LockedMove,
  { realm, move, merges, wanted, bot, undoneNoticeId }: MadeMove,
): Promise<NewEvent[]> {
  const { actor, message, ids, places } = locked;
  const toOtherChannel = changesChannel(move);
  const firsts = toOtherChannel
    ? await moveFirsts(tx, realm.id, places, move, ids)
    : { places, events: [] };
  const noticeContext = { realm, actor, bot };
  const flagEvents =
    undoneNoticeId === undefined
      ? []
      : await deleteUndoneNotice(tx, noticeContext, move, firsts.places, undoneNoticeId);
  const { fold } = await loadFolding(tx, [move.from.topic, move.to.topic]);
  const sameName = !toOtherChannel && fold(move.from.topic) === fold(move.to.topic);
  const whole = sameName || !(await sourceHasMessages(tx, actor.id, message.recipientId, move));
  const allowed = places.readers.get(move.to.channel.id);
  const reading = allowed && new Set(allowed);
  const policies =
    !sameName && (whole || wanted.propagateMode === "change_all")
      ? await movePolicies(tx, move, merges, (id) => !reading || reading.has(id))
      : [];
  const moved = { move, count: ids.length, whole };
  const loaded = await loadPostingChannels(tx, realm.id, [move.from.channel.id], []);
  const source = loaded.get(move.from.channel.id);
  if (!source) throw new Error("locked channel not found");
  const notices = await moveNotices(tx, noticeContext, moved, { source, places }, wanted);
  const toggled = undoneNoticeId === undefined ? await toggleNotices(tx, noticeContext, move) : [];
  const sent = await sendMessages(tx, realm, [...notices, ...toggled]);
  return [...firsts.events, ...flagEvents, ...policies, ...sent.events];
}

async function toggleNotices(
  tx: Tx,
  noticeContext: NoticeContext,
  move: Move,
): Promise<OutgoingMessage[]> {
  const { toggle } = move;
  return toggle ? [await resolveNotice(tx, noticeContext, { ...move, toggle })] : [];
}

/** Deletes the recent notice of a topic that was resolved or unresolved and is now toggled back. */
async function deleteUndoneNotice(
  tx: Tx,
  { realm, actor }: NoticeContext,
  { to }: Move,
  places: Places,
  id: number,
): Promise<readonly NewEvent[]> {
  const run = {
    realmId: realm.id,
    channelId: to.channel.id,
    cause: "undone-notice",
    actorId: actor.id,
  } as const;
  return (await removeMessages(tx, run, places, [id])).events;
}

/** Every transaction locks copies in this order. */
const inOrder = "ORDER BY um.user_id, um.message_id FOR NO KEY UPDATE OF um";

const lose = statement({
  name: "copies-lost-by-move",
  text: `WITH asked AS MATERIALIZED (SELECT array(SELECT unnest($3::bigint[])) AS ids), loser AS MATERIALIZED (
      ${possibleHolders({ channel: "$1", ids: "(SELECT ids FROM asked)::bigint[]" })}
      EXCEPT SELECT user_id FROM subscriptions WHERE channel_id = $2 AND active
    ), held AS MATERIALIZED (
      SELECT um.user_id, um.message_id FROM loser JOIN user_messages um
        ON um.user_id = loser.user_id AND um.message_id = ANY((SELECT ids FROM asked)::bigint[])
      ${inOrder}
    ), lost AS (
      DELETE FROM user_messages um USING held WHERE um.user_id = held.user_id AND um.message_id = held.message_id
      RETURNING um.user_id, um.message_id, um.flags
    )
    SELECT lost.user_id AS "userId",
      coalesce(json_agg(message_id ORDER BY message_id) FILTER (WHERE flags & ${flag.read} = 0), '[]') AS unread,
      coalesce(json_agg(message_id ORDER BY message_id) FILTER (WHERE flags & ${flag.starred} <> 0), '[]') AS starred,
      coalesce(json_agg(message_id ORDER BY message_id) FILTER (WHERE flags & ${flag.activeMobilePush} <> 0), '[]') AS pushed
    FROM lost JOIN users u ON u.id = lost.user_id AND u.is_active
    WHERE flags & ${flag.read} = 0 OR flags & ${flag.starred} <> 0 GROUP BY lost.user_id`,
  overrides: {
    unread: typed<readonly number[]>(),
    starred: typed<readonly number[]>(),
    pushed: typed<readonly number[]>(),
  },
});

/**
 * Messages in a channel that the account is not subscribed to count as read (channels.md §11), also after they are
 * moved.
 */
const settle = statement({
  name: "copies-read-by-move",
  text: `WITH held AS MATERIALIZED (
      SELECT um.user_id, um.message_id, um.flags FROM subscriptions next LEFT JOIN subscriptions s
        ON s.channel_id = $1 AND s.user_id = next.user_id AND s.active
      JOIN user_messages um ON um.user_id = next.user_id AND um.message_id = ANY(ARRAY(SELECT unnest($3::bigint[])))
      WHERE next.channel_id = $2 AND next.active AND s.user_id IS NULL AND um.flags & ${flag.read} = 0
      ${inOrder}
    ), read AS (
      UPDATE user_messages um SET flags = um.flags & ~${flag.activeMobilePush} | ${flag.read} FROM held
      WHERE um.user_id = held.user_id AND um.message_id = held.message_id
      RETURNING um.user_id, um.message_id, held.flags & ${flag.activeMobilePush} <> 0 AS pushed
    )
    SELECT read.user_id AS "userId", json_agg(message_id ORDER BY message_id) AS ids,
      coalesce(json_agg(message_id ORDER BY message_id) FILTER (WHERE pushed), '[]') AS pushed
    FROM read JOIN users u ON u.id = read.user_id AND u.is_active GROUP BY read.user_id`,
  overrides: { ids: typed<readonly number[]>(), pushed: typed<readonly number[]>() },
});

const gain = statement({
  name: "copies-gained-by-move",
  text: `INSERT INTO user_messages (user_id, message_id, flags)
    SELECT s.user_id, m.id, ${flag.read} FROM unnest($2::bigint[]) AS m (id) CROSS JOIN subscriptions s
    WHERE s.channel_id = $1 AND s.active ORDER BY m.id, s.user_id ON CONFLICT DO NOTHING`,
});

/**
 * Updates the copies of messages that move to another channel, so that they match the subscriptions of both channels
 * (messages.md §6.2).
 * @param losingAccess accounts that receive an event that the messages are deleted, and so need no flag events
 */
export async function moveCopies(
  tx: Tx,
  realmId: number,
  { from, to }: Move,
  ids: readonly number[],
  losingAccess: ReadonlySet<number>,
): Promise<NewEvent[]> {
  const copies = { name: "copies", keys: ids } as const;
  const lost = await tx.lock(copies, lose, [from.channel.id, to.channel.id, ids]);
  const settled = await tx.lock(copies, settle, [from.channel.id, to.channel.id, ids]);
  if (hasProtectedHistory(to.channel)) await tx.rows(gain, [to.channel.id, ids]);
  await recordPushRemovals(
    tx,
    realmId,
    [...lost, ...settled].map(({ userId, pushed }) => ({ userId, ids: pushed })),
  );
  const others = lost.filter(({ userId }) => !losingAccess.has(userId));
  return [
    ...readEvents([...settled, ...others.map(({ userId, unread }) => ({ userId, ids: unread }))]),
    ...unstarredEvents(others.map(({ userId, starred }) => ({ userId, ids: starred }))),
  ];
}

/** The channels with their new first messages, and the resulting events. */
interface MovedFirsts {
  readonly places: Places;
  readonly events: readonly NewEvent[];
}

/**
 * Updates the first messages of both channels after messages have moved between them (channels.md §1).
 * @throws ConcurrentSends see `removal`
 */
async function moveFirsts(
  tx: Tx,
  realmId: number,
  places: Places,
  { to }: Move,
  ids: readonly number[],
): Promise<MovedFirsts> {
  const firsts = [...(await newFirsts(tx, places, ids, [])), ...firstOfTarget(places, to, ids)];
  const channels = new Map(places.channels);
  for (const [recipientId, channel] of places.channels) {
    const first = firsts.find((one) => one.channel.id === channel.id);
    if (first) channels.set(recipientId, { ...channel, firstMessageId: first.messageId });
  }
  return { places: { ...places, channels }, events: await storeFirsts(tx, realmId, firsts) };
}

function firstOfTarget(
  { channels }: Places,
  { channel: { recipientId } }: Move["to"],
  [oldest]: readonly number[],
): NewFirst[] {
  const channel = channels.get(recipientId);
  if (!channel || oldest === undefined) return [];
  const { firstMessageId } = channel;
  return firstMessageId !== null && firstMessageId < oldest ? [] : [{ channel, messageId: oldest }];
}

const { inherit, muted, unmuted, followed } = visibilityPolicy;

/** Rows of both topics, locked in the order in which every transaction writes them. */
const hold = statement({
  name: "topic-policies-to-move",
  text: `SELECT user_id AS id, user_id AS "userId", channel_id AS "channelId", topic, visibility_policy AS policy,
      channel_id = $1 AND lower(topic) = lower($2) AS "isOld"
    FROM user_topics WHERE (channel_id = $1 AND lower(topic) = lower($2)) OR (channel_id = $3 AND lower(topic) = lower($4))
    ORDER BY user_id, channel_id, lower(topic) FOR NO KEY UPDATE`,
  overrides: {
    /** Whether the row belongs to the source topic. */
    isOld: notNull,
  },
});

const forget = statement({
  name: "topic-policies-forget",
  text: `DELETE FROM user_topics t USING unnest($1::int[], $2::int[], $3::text[]) AS gone (user_id, channel_id, topic)
    WHERE t.user_id = gone.user_id AND t.channel_id = gone.channel_id AND t.topic = gone.topic
    RETURNING extract(epoch FROM now())::int AS "lastUpdated"`,
});

/** When two topics become one, an account keeps the policy that is later in this list. */
const weakestFirst: readonly number[] = [muted, inherit, unmuted, followed];

/**
 * Moves the visibility policies of a topic whose messages were all moved, as far as the actor can see them (messages.md
 * §6.2). Accounts that may not read the target channel lose theirs.
 * @param merges whether the target topic had messages before
 * @param canRead whether an account may read the target channel
 */
async function movePolicies(
  tx: Tx,
  { from, to }: Move,
  merges: boolean,
  canRead: (userId: number) => boolean,
): Promise<NewEvent[]> {
  const rows = await tx.lock({ name: "topicPolicies" }, hold, [
    from.channel.id,
    from.topic,
    to.channel.id,
    to.topic,
  ]);
  const old = new Map(rows.flatMap((one) => (one.isOld ? [[one.userId, one] as const] : [])));
  const present = new Map(rows.flatMap((one) => (one.isOld ? [] : [[one.userId, one] as const])));
  const wanted = [...new Set(rows.map(({ userId }) => userId))].filter(canRead).map((userId) => {
    const [was, is] = [old.get(userId)?.policy ?? inherit, present.get(userId)?.policy ?? inherit];
    return { userId, is, policy: merges ? stronger(was, is) : was };
  });
  const changed = wanted.filter(({ is, policy }) => is !== policy);
  const dropped = changed.flatMap(({ userId, policy }) => {
    const row = present.get(userId);
    return policy === inherit && row ? [row] : [];
  });
  const set = changed.filter(({ policy }) => policy !== inherit);
  return topicPolicyEvents([
    ...(await remove(tx, [...old.values(), ...dropped])),
    ...(await storeTopicPolicies(
      tx,
      set.map(({ userId, policy }) => ({
        userId,
        channelId: to.channel.id,
        topic: to.topic,
        policy,
      })),
    )),
  ]);
}

function stronger(one: number, other: number): number {
  return weakestFirst.indexOf(one) > weakestFirst.indexOf(other) ? one : other;
}

async function remove(tx: Tx, rows: ReadonlyArray<RowOf<typeof hold>>) {
  if (rows.length === 0) return [];
  const [forgotten] = await tx.rows(forget, [
    rows.map(({ userId }) => userId),
    rows.map(({ channelId }) => channelId),
    rows.map(({ topic }) => topic),
  ]);
  const lastUpdated = forgotten?.lastUpdated ?? 0;
  return rows.map(({ userId, channelId, topic }) => ({
    userId,
    channelId,
    topic,
    policy: inherit,
    lastUpdated,
  }));
}
