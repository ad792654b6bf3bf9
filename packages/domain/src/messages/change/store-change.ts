import { notNull, statement, type Tx, typed } from "@carillon/db";
import { renderVersion } from "@carillon/markdown";
import {
  isDeferred,
  anyMention,
  type AccessibleMessage,
  type Account,
  flag,
  hasProtectedHistory,
  type PostingChannel,
  type TopicKey,
} from "@carillon/model";

import {
  searchTexts,
  searchVector,
  searchVectorInTopic,
  topicWords,
} from "../search/search-vector.ts";
import { loadReceiverFlags } from "../send/receiver-flags.ts";
import type { NewText } from "./check-change.ts";
import { changesChannel, changesTopic, type Move } from "./check-move.ts";

/** SQL: user and time of the change, the first fields of each history entry (messages.md §6.3). */
const stamp = (userId: string) =>
  `jsonb_build_object('user_id', ${userId}::int, 'timestamp', floor(extract(epoch FROM now()))::bigint)`;

/** Maximum entries of a message's history. */
const maxEntries = 1_000;
/** Maximum characters of all earlier contents and their HTML; the newest entry is kept however long it is. */
const maxCharacters = 100_000;

/**
 * The history stores each message's own spelling of the old topic. Does not write a message that is already in the target
 * channel and has the new spelling.
 */
const move = statement({
  name: "messages-move",
  text: `UPDATE messages m SET topic = coalesce($3::text, m.topic), recipient_id = $4, last_edit_at = now(),
      changed_channel = m.changed_channel OR m.recipient_id <> $4,
      edit_history = ${withMove(
        `${stamp("$5")}
        || CASE WHEN $3::text <> m.topic THEN jsonb_build_object('prev_topic', m.topic, 'topic', $3::text)
          ELSE '{}' END
        || CASE WHEN m.recipient_id <> $4 THEN jsonb_build_object('prev_stream', $6::int, 'stream', $7::int)
          ELSE '{}' END`,
        "m.edit_history",
      )},
      search = CASE WHEN $3::text IS NULL THEN m.search ELSE ${searchVectorInTopic("m.search", "$8::text")} END
    WHERE m.realm_id = $1 AND m.id = ANY(ARRAY(SELECT unnest($2::bigint[])))
      AND (m.recipient_id <> $4 OR m.topic <> coalesce($3::text, m.topic))`,
});

/** Moves messages by one statement. All are in one channel and topic, and the transaction has locked them. */
export async function storeMove(
  tx: Tx,
  { id, realmId }: { readonly id: number; readonly realmId: number },
  ids: readonly number[],
  planned: Move,
): Promise<void> {
  const { from, to } = planned;
  await tx.rows(move, [
    realmId,
    ids,
    changesTopic(planned) ? to.topic : null,
    to.channel.recipientId,
    id,
    changesChannel(planned) ? from.channel.id : null,
    changesChannel(planned) ? to.channel.id : null,
    topicWords(to.topic),
  ]);
}

/** If the same request has moved the message, both changes share one history entry. */
const rewrite = statement({
  name: "message-rewrite",
  text: `UPDATE messages m SET content = $3, rendered_content = $4, render_version = $5, has_link = $6, has_image = $7,
      has_attachment = $8, last_edit_at = now(),
      edit_history = ${withEdit(
        `CASE WHEN $10 THEN m.edit_history->0 ELSE ${stamp("$9")} END
          || jsonb_build_object('prev_content', m.content, 'prev_rendered_content', m.rendered_content)`,
        "CASE WHEN $10 THEN m.edit_history - 0 ELSE m.edit_history END",
      )},
      search = ${searchVector({ topic: "$11::text", content: "$12::text" })}
    WHERE m.realm_id = $1 AND m.id = $2`,
});

/** Stores the new content of a message. @param moved the move that {@link storeMove} has stored for the same request */
export async function storeText(
  tx: Tx,
  { id: userId, realmId }: { readonly id: number; readonly realmId: number },
  { id, channelId, topic }: AccessibleMessage,
  { content, rendered }: NewText,
  moved: Move | undefined,
): Promise<void> {
  const { html, hasLink, hasImage, hasAttachment } = rendered;
  const words = searchTexts(channelId === null ? "" : (moved?.to.topic ?? topic), html);
  await tx.rows(rewrite, [
    realmId,
    id,
    content,
    html,
    renderVersion,
    hasLink,
    hasImage,
    hasAttachment,
    userId,
    moved !== undefined,
    words.topicWords,
    words.contentWords,
  ]);
}

/*
 * Every reader of a message reads its history, and every change rewrites it. So the oldest entries are dropped when
 * there are too many, or when their texts are too long.
 */

/** SQL: the history with one more entry, which has an earlier content. @param history may be null */
function withEdit(entry: string, history: string): string {
  const characters = ["prev_content", "prev_rendered_content"]
    .map((text) => `length(coalesce(entry->>'${text}', ''))`)
    .join(" + ");
  return `(SELECT jsonb_agg(entry ORDER BY n) FROM (
      SELECT entry, n, sum(${characters}) OVER (ORDER BY n) AS characters
      FROM jsonb_array_elements(jsonb_build_array(${entry}) || coalesce(${history}, '[]')) WITH ORDINALITY AS h (entry, n)
    ) h WHERE n = 1 OR (n <= ${maxEntries} AND characters <= ${maxCharacters}))`;
}

/** SQL: the history with one more entry, which has no content. @param history may be null */
function withMove(entry: string, history: string): string {
  return `jsonb_build_array(${entry}) || CASE WHEN jsonb_array_length(${history}) >= ${maxEntries}
    THEN ${history} - -1 ELSE coalesce(${history}, '[]') END`;
}

/** The flags that depend on the content (messages.md §3). */
const ofText = anyMention | flag.hasAlertWord;

/**
 * SQL: the accounts that may have a copy of the messages `ids` (an array). Copies are keyed by account
 * (docs/decisions/020), so the candidates are current and former subscribers of the channel, and holders of
 * `historical` copies.
 */
export const possibleHolders = ({
  channel,
  ids,
}: {
  readonly channel: string;
  readonly ids: string;
}) => `SELECT user_id FROM subscriptions WHERE channel_id = ${channel}
      UNION SELECT user_id FROM user_messages WHERE message_id = ANY(${ids}) AND flags & ${flag.historical} <> 0`;

/**
 * Replaces the flags that depend on the content, in copies in which they differ. Inserts deferred copies that get flags. On
 * conflict it sets the flags: the person may come back meanwhile, and get the copy without flags.
 */
const rewriteCopies = statement({
  name: "flags-of-rewritten",
  text: `WITH holder AS (
      ${possibleHolders({ channel: "$2", ids: "ARRAY[$1::bigint]" })} UNION SELECT unnest($3::int[])
    ), held AS MATERIALIZED (
      SELECT um.user_id, coalesce(own.flags, 0) | $4::int AS wanted
      FROM holder JOIN user_messages um ON um.user_id = holder.user_id AND um.message_id = $1
      LEFT JOIN unnest($5::int[], $6::int[]) AS own (user_id, flags) ON own.user_id = holder.user_id
      WHERE um.flags & ${ofText} <> coalesce(own.flags, 0) | $4::int
      ORDER BY um.user_id FOR NO KEY UPDATE OF um
    ), made AS (
      INSERT INTO user_messages AS um (user_id, message_id, flags)
      SELECT s.user_id, $1, coalesce(own.flags, 0) | $4::int | CASE WHEN s.deferred_read THEN ${flag.read} ELSE 0 END
      FROM subscriptions s LEFT JOIN unnest($5::int[], $6::int[]) AS own (user_id, flags) ON own.user_id = s.user_id
      WHERE s.channel_id = $2 AND ${isDeferred("$1")} AND coalesce(own.flags, 0) | $4::int <> 0
        AND NOT EXISTS (SELECT FROM user_messages um WHERE um.user_id = s.user_id AND um.message_id = $1)
        AND EXISTS (SELECT FROM messages m WHERE m.id = $1 AND NOT m.changed_channel)
      ORDER BY s.user_id
      ON CONFLICT (user_id, message_id) DO UPDATE SET flags = um.flags & ~${ofText} | excluded.flags
    )
    UPDATE user_messages um SET flags = um.flags & ~${ofText} | held.wanted FROM held
    WHERE um.user_id = held.user_id AND um.message_id = $1`,
});

/**
 * Updates the flags of all copies to the new content. Creates deferred copies that get flags, as sending does
 * (docs/decisions/083).
 */
export async function rewriteFlags(
  tx: Tx,
  sender: Account,
  { id, channelId, memberIds, topic }: AccessibleMessage,
  channel: PostingChannel | undefined,
  text: NewText,
): Promise<void> {
  const target = channel
    ? ({ kind: "channel", channel } as const)
    : ({ kind: "direct", members: memberIds ?? [], participants: [] } as const);
  const [flags] = await loadReceiverFlags(tx, sender.realmId, [
    { ...text, sender, target, topic, readBySender: false },
  ]);
  const own = [...(flags?.byUser ?? [])];
  await tx.lock({ name: "copies", keys: [id] }, rewriteCopies, [
    id,
    channelId,
    memberIds ?? [],
    (flags?.all ?? 0) & ofText,
    own.map(([userId]) => userId),
    own.map(([, bits]) => bits & ofText),
  ]);
}

const flagsOf = statement({
  name: "flags-of-receivers",
  text: `SELECT um.message_id AS id, um.flags & ~${flag.activeMobilePush} AS flags,
      array_agg(um.user_id ORDER BY um.user_id) AS "userIds"
    FROM unnest($1::bigint[], $2::text[]) AS w (message_id, receivers) CROSS JOIN LATERAL unnest(w.receivers::int[]) AS receiver (id)
    JOIN user_messages um ON um.user_id = receiver.id AND um.message_id = w.message_id
    GROUP BY 1, 2 ORDER BY 1, 2`,
});

/** Accounts whose copies of a message have the same flags, ignoring `activeMobilePush`. */
export interface FlaggedAlike {
  readonly flags: number;
  readonly userIds: readonly number[];
}

/** Loads the flags of the accounts' copies, by message. */
export async function loadFlags(
  tx: Tx,
  receivers: ReadonlyArray<{ readonly id: number; readonly userIds: readonly number[] }>,
): Promise<Map<number, FlaggedAlike[]>> {
  const rows = await tx.rows(flagsOf, [
    receivers.map(({ id }) => id),
    receivers.map(({ userIds }) => `{${userIds.join(",")}}`),
  ]);
  const byMessage = new Map<number, FlaggedAlike[]>();
  for (const { id, ...alike } of rows) byMessage.set(id, [...(byMessage.get(id) ?? []), alike]);
  return byMessage;
}

/** Messages whose copies belong to the same set of active accounts. */
interface HolderGroup {
  /** Ascending. */
  readonly holderIds: readonly number[];
  /** Ascending. */
  readonly ids: readonly number[];
}

/** Materialized once, so that the array is not evaluated again for each account. */
const askedFor = (ids: string) =>
  `asked AS MATERIALIZED (SELECT array(SELECT unnest(${ids}::bigint[])) AS ids)`;
const asked = "(SELECT ids FROM asked)::bigint[]";

const holderGroups = statement({
  name: "holders-of-messages",
  text: `WITH ${askedFor("$2")}, holder AS MATERIALIZED (
      SELECT p.user_id FROM (${possibleHolders({ channel: "$1", ids: asked })}) p
      JOIN users u ON u.id = p.user_id AND u.is_active
    ), held AS (
      SELECT um.message_id, array_agg(um.user_id ORDER BY um.user_id) AS holder_ids
      FROM holder JOIN user_messages um ON um.user_id = holder.user_id AND um.message_id = ANY(${asked})
      GROUP BY um.message_id
    )
    SELECT holder_ids AS "holderIds", json_agg(message_id ORDER BY message_id) AS ids FROM held GROUP BY holder_ids`,
  overrides: { holderIds: notNull, ids: typed<readonly number[]>() },
});

/** Groups messages of one channel by the accounts that have a copy. */
export async function groupByHolders(
  tx: Tx,
  channelId: number,
  ids: readonly number[],
): Promise<HolderGroup[]> {
  return tx.rows(holderGroups, [channelId, ids]);
}

const interested = statement({
  name: "interested-in-messages",
  text: `WITH ${askedFor("$3")}
    SELECT coalesce(array_agg(u.id ORDER BY u.id), '{}') AS ids FROM users u WHERE u.is_active AND u.id IN (
      SELECT s.user_id FROM subscriptions s WHERE s.channel_id = ANY($1::int[]) AND s.active
      UNION SELECT p.user_id FROM (${possibleHolders({ channel: "$2", ids: asked })}) p
      WHERE EXISTS (SELECT FROM user_messages um WHERE um.user_id = p.user_id AND um.message_id = ANY(${asked})))`,
});

/**
 * Returns the active accounts that are subscribed to one of the channels or have a copy of one of the messages,
 * ascending. The messages are all of one channel.
 */
export async function interestedIn(
  tx: Tx,
  channelIds: readonly number[],
  holdersOf: { readonly channelId: number; readonly ids: readonly number[] },
): Promise<readonly number[]> {
  const row = await tx.first(interested, [channelIds, holdersOf.channelId, holdersOf.ids]);
  return row?.ids ?? [];
}

const begun = statement({
  name: "topic-has-messages",
  text: `SELECT EXISTS (SELECT FROM messages m WHERE m.recipient_id = $1 AND m.is_channel AND lower(m.topic) = lower($2)
      AND ($3::int IS NULL OR EXISTS (SELECT FROM user_messages um WHERE um.user_id = $3 AND um.message_id = m.id))) AS found`,
});

/** Whether the target topic has messages. */
export function targetHasMessages(tx: Tx, { to }: Move): Promise<boolean> {
  return has(tx, { recipientId: to.channel.recipientId, topic: to.topic }, null);
}

/** Whether messages remain in the source topic that the account can see. */
export function sourceHasMessages(
  tx: Tx,
  userId: number,
  recipientId: number,
  { from }: Move,
): Promise<boolean> {
  const receiver = hasProtectedHistory(from.channel) ? userId : null;
  return has(tx, { recipientId, topic: from.topic }, receiver);
}

async function has(
  tx: Tx,
  { recipientId, topic }: TopicKey,
  receiver: number | null,
): Promise<boolean> {
  const row = await tx.first(begun, [recipientId, topic, receiver]);
  return row?.found ?? false;
}
