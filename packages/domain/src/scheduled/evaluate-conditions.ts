import type { Condition } from "@carillon/contract";
import { inOneStatement, notNull, packed, statement, type Sql } from "@carillon/db";
import {
  hasContentAccess,
  loadAccounts,
  loadMemberships,
  loadPostingChannels,
  type Realm,
  resolvedTopic,
} from "@carillon/model";

import { isReminder, type DueRow } from "./due-row.ts";

/** A condition that holds. */
export interface MetCondition {
  readonly condition: Condition;
  /** The message that made it hold: the newest reply; null for other conditions. */
  readonly messageId: number | null;
}

/**
 * Finds the conditions of claimed rows that hold (once-and-again.md §4), with at most two statements for all rows. A message
 * that was committed before the claim is seen.
 * @returns for each row the first of its conditions that holds
 */
export async function findMetConditions(
  sql: Sql,
  rows: readonly DueRow[],
): Promise<Map<DueRow, MetCondition>> {
  const met = new Map<DueRow, MetCondition>();
  if (rows.length === 0) return met;
  const [replies, resolved] = await Promise.all([
    newestReplies(sql, rows),
    resolvedConversations(sql, rows),
  ]);
  for (const row of rows)
    for (const condition of row.unless ?? []) {
      const messageId = condition.kind === "reply" ? replies(row, condition.by) : undefined;
      const holds =
        condition.kind === "reply"
          ? messageId !== undefined
          : condition.kind === "topic_resolved"
            ? resolved.has(row)
            : hasCheckedIn(row, condition);
      if (!holds) continue;
      met.set(row, { condition, messageId: messageId ?? null });
      break;
    }
  return met;
}

/** A check-in with an interval has moved the delivery instead. */
function hasCheckedIn(
  { senderId, checkedInBy }: DueRow,
  { by = [], interval }: Extract<Condition, { kind: "check_in" }>,
): boolean {
  const isNamed = (id: number) => id === senderId || by.includes(id);
  return interval === undefined && checkedInBy?.some(isNamed) === true;
}

/** Number of newest messages of a topic that are examined first. The topic's senders are examined only if none is a reply. */
const newestExamined = 100;

/** SQL: whether the message counts as a reply for a condition that names no accounts. */
const isReply = "m.sender_id <> a.sender_id AND NOT u.is_bot";

const isInTopic =
  "m.recipient_id = a.recipient_id AND m.is_channel AND lower(m.topic) = lower(t.topic)";

/**
 * SQL: the newest message of an account in a direct conversation. Compares ranges and sorts in the order of the index:
 * with equality conditions PostgreSQL may expect a match soon, and scan the primary key backwards through all messages.
 */
const newestDirect = (account: string) => {
  const key = (id: string) => `(${account}, a.recipient_id, ${id})`;
  return `(SELECT m.id, m.sent_at FROM messages m
      WHERE (m.sender_id, m.recipient_id, m.id) > ${key("a.before")}
        AND (m.sender_id, m.recipient_id, m.id) <= ${key(String(Number.MAX_SAFE_INTEGER))}
      ORDER BY m.sender_id DESC, m.recipient_id DESC, m.id DESC LIMIT 1)`;
};

/** SQL: the newest message of an account in a topic. Compares a range for the same reason as {@link newestDirect}. */
const newestInTopic = (account: string) =>
  `(SELECT m.id, m.sent_at FROM messages m
      WHERE ${isInTopic} AND m.sender_id >= ${account} AND m.sender_id <= ${account} AND m.id > a.before
      ORDER BY m.sender_id, m.id DESC LIMIT 1)`;

/**
 * Finds the newest reply. The number of rows read does not grow with the messages in the conversation:
 * - If the condition names accounts, or the conversation is direct, reads the newest message of each account or member.
 * - In a topic, reads the last {@link newestExamined} messages since the row was scheduled. If all of them are by bots or
 *   by the sender, and there are more, reads the newest message of each account that has ever written there: the recursion
 *   steps from account to account in the index messages_topic_senders_idx.
 */
export const newest = statement({
  name: "conditions-replies",
  text: `SELECT a.place::int, reply.id, extract(epoch FROM reply.sent_at)::float8 AS "sentAt"
    FROM unnest($1::int[], $2::text[], $3::text[], $4::int[], $5::text[], $6::bigint[])
        WITH ORDINALITY AS a (recipient_id, topic, resolved, sender_id, by_ids, before, place)
      CROSS JOIN LATERAL (
        SELECT there.id, there.sent_at FROM unnest(a.by_ids::int[]) AS by_id
          CROSS JOIN LATERAL ${newestDirect("by_id")} there
        WHERE a.topic IS NULL
        UNION ALL
        SELECT there.id, there.sent_at FROM recipients r CROSS JOIN unnest(r.member_ids) AS member_id
          JOIN users u ON u.id = member_id AND u.id <> a.sender_id AND NOT u.is_bot
          CROSS JOIN LATERAL ${newestDirect("member_id")} there
        WHERE a.by_ids IS NULL AND a.topic IS NULL AND r.id = a.recipient_id
        UNION ALL
        SELECT there.id, there.sent_at FROM (VALUES (a.topic), (a.resolved)) AS t (topic)
          CROSS JOIN unnest(a.by_ids::int[]) AS by_id
          CROSS JOIN LATERAL ${newestInTopic("by_id")} there
        WHERE a.topic IS NOT NULL
        UNION ALL
        SELECT there.id, there.sent_at FROM (VALUES (a.topic), (a.resolved)) AS t (topic) CROSS JOIN LATERAL (
          WITH RECURSIVE last AS MATERIALIZED (
            SELECT m.id, m.sent_at, ${isReply} AS is_reply FROM (
              SELECT m.id, m.sent_at, m.sender_id FROM messages m WHERE ${isInTopic} AND m.id > a.before
              ORDER BY m.id DESC LIMIT ${newestExamined}) m JOIN users u ON u.id = m.sender_id
          ), writer AS (
            (SELECT m.sender_id, m.id, m.sent_at FROM messages m
              WHERE ${isInTopic} AND (SELECT count(*) = ${newestExamined} AND NOT bool_or(is_reply) FROM last)
              ORDER BY m.sender_id, m.id DESC LIMIT 1)
            UNION ALL
            SELECT next.* FROM writer w CROSS JOIN LATERAL (
              SELECT m.sender_id, m.id, m.sent_at FROM messages m WHERE ${isInTopic} AND m.sender_id > w.sender_id
              ORDER BY m.sender_id, m.id DESC LIMIT 1) next
          )
          (SELECT id, sent_at FROM last WHERE is_reply ORDER BY id DESC LIMIT 1)
          UNION ALL
          (SELECT m.id, m.sent_at FROM writer m JOIN users u ON u.id = m.sender_id
            WHERE m.id > a.before AND ${isReply} ORDER BY m.id DESC LIMIT 1)
        ) there
        WHERE a.by_ids IS NULL AND a.topic IS NOT NULL
      ) reply`,
  overrides: { place: notNull, id: notNull, sentAt: notNull },
});

/** A lookup of a reply, by sender, conversation and named accounts. Rows for which these are equal share one. */
interface ReplyLookup {
  readonly row: DueRow;
  readonly by: readonly number[] | undefined;
  before: number;
}

type Replies = (row: DueRow, by: readonly number[] | undefined) => number | undefined;

/** Returns a function that returns the id of the newest reply since the row was scheduled; undefined if there is none. */
async function newestReplies(sql: Sql, rows: readonly DueRow[]): Promise<Replies> {
  const lookups = new Map<string, ReplyLookup>();
  for (const row of rows)
    for (const condition of row.unless ?? []) {
      if (condition.kind !== "reply") continue;
      const { by } = condition;
      const key = lookupKey(row, by);
      const before = row.messagesBefore ?? 0;
      const known = lookups.get(key);
      if (known) known.before = Math.min(known.before, before);
      else lookups.set(key, { row, by, before });
    }
  if (lookups.size === 0) return () => undefined;
  const asked = [...lookups.values()];
  const found = await sql.rows(newest, [
    packed.ints(asked.map(({ row }) => row.recipientId)),
    packed.texts(asked.map(({ row }) => (row.channelId === null ? null : row.topic))),
    packed.texts(
      asked.map(({ row }) => (row.channelId === null ? null : resolvedTopic(row.topic))),
    ),
    packed.ints(asked.map(({ row }) => row.senderId)),
    packed.texts(asked.map(({ by }) => (by ? `{${by.join(",")}}` : null))),
    packed.bigints(asked.map(({ before }) => before)),
  ]);
  const newestBy = new Map<string, { readonly id: number; readonly sentAt: number }>();
  for (const { place, id, sentAt } of found) {
    const { row, by } = asked[place - 1]!;
    const key = lookupKey(row, by);
    if (id > (newestBy.get(key)?.id ?? 0)) newestBy.set(key, { id, sentAt });
  }
  return (row, by) => {
    const reply = newestBy.get(lookupKey(row, by));
    const isLater =
      reply && reply.id > (row.messagesBefore ?? 0) && reply.sentAt >= (row.scheduledAt ?? 0);
    return isLater ? reply.id : undefined;
  };
}

function lookupKey({ recipientId, topic, senderId }: DueRow, by: readonly number[] = []): string {
  return JSON.stringify([recipientId, topic, by.length > 0 ? by : senderId, by.length > 0]);
}

const resolvedTopics = statement({
  name: "conditions-resolved",
  text: `SELECT a.place::int FROM unnest($1::int[], $2::text[], $3::text[])
      WITH ORDINALITY AS a (recipient_id, topic, resolved, place)
    WHERE (SELECT m.id FROM messages m WHERE m.is_channel AND m.recipient_id = a.recipient_id
        AND lower(m.topic) = lower(a.resolved) LIMIT 1) IS NOT NULL
      AND (SELECT m.id FROM messages m WHERE m.is_channel AND m.recipient_id = a.recipient_id
        AND lower(m.topic) = lower(a.topic) LIMIT 1) IS NULL`,
  overrides: { place: notNull },
});

/** Returns the rows that have a `topic_resolved` condition and whose topics are resolved. */
async function resolvedConversations(sql: Sql, rows: readonly DueRow[]): Promise<Set<DueRow>> {
  const asking = rows.filter(({ unless }) => unless?.some(({ kind }) => kind === "topic_resolved"));
  if (asking.length === 0) return new Set();
  const found = await sql.rows(resolvedTopics, [
    packed.ints(asking.map(({ recipientId }) => recipientId)),
    packed.texts(asking.map(({ topic }) => topic)),
    packed.texts(asking.map(({ topic }) => resolvedTopic(topic))),
  ]);
  return new Set(found.map(({ place }) => asking[place - 1]!));
}

/** Returns the rows whose senders may read the channel of the message, and all rows of direct messages. */
export async function readableRows(
  sql: Sql,
  realm: Realm,
  rows: readonly DueRow[],
): Promise<Set<DueRow>> {
  if (rows.length === 0) return new Set();
  const senderIds = rows.map(({ senderId }) => senderId);
  const channelIds = rows.flatMap(({ channelId }) => channelId ?? []);
  const [channels, accounts, memberships] = await inOneStatement(sql, (one) =>
    Promise.all([
      loadPostingChannels(one, realm.id, channelIds, senderIds),
      loadAccounts(one, realm.id, senderIds),
      loadMemberships(one, senderIds),
    ]),
  );
  const canRead = ({ channelId, senderId }: DueRow) => {
    if (channelId === null) return true;
    const [channel, sender] = [channels.get(channelId), accounts.get(senderId)];
    if (!channel || !sender) return false;
    return hasContentAccess(sender, channel, memberships, channel.subscribed.has(senderId));
  };
  return new Set(rows.filter(canRead));
}

/**
 * Maximum number of accounts whose newest messages the conditions of one transaction look up, unless those of its first row
 * look up more; this many take PostgreSQL about 100 ms.
 */
export const maxLookUps = 10_000;

/**
 * Returns the rows before the first one that a transaction must leave to the next:
 * - Its conditions depend on an earlier row: the message of the earlier row may be the reply that keeps the later one from
 *   being sent.
 * - The conditions of the rows up to it look up too many accounts.
 */
export function splitAtConditions(rows: readonly DueRow[]): readonly DueRow[] {
  if (rows.every(({ unless }) => !unless)) return rows;
  /** Senders of earlier rows, by conversation. */
  const senders = new Map<string, Set<number>>();
  let lookUps = 0;
  const first = rows.findIndex((row, index) => {
    if (isReminder(row)) return false;
    lookUps += lookUpsOf(row);
    if (lookUps > maxLookUps && index > 0) return true;
    const earlier = senders.get(row.conversation) ?? new Set();
    if (row.unless?.some((condition) => dependsOn(condition, row, earlier))) return true;
    senders.set(row.conversation, earlier.add(row.senderId));
    return false;
  });
  return first < 0 ? rows : rows.slice(0, first);
}

/** Counts the accounts whose messages the conditions of a row look up: in a topic, and in the resolved topic. */
function lookUpsOf({ unless, channelId, memberIds }: DueRow): number {
  let lookUps = 0;
  for (const condition of unless ?? []) {
    if (condition.kind !== "reply") continue;
    if (channelId === null) lookUps += (condition.by ?? memberIds ?? []).length;
    else lookUps += 2 * (condition.by ?? []).length;
  }
  return lookUps;
}

/** Whether a message of one of the senders to the row's conversation may decide the condition. */
function dependsOn(
  condition: Condition,
  { senderId }: DueRow,
  senders: ReadonlySet<number>,
): boolean {
  switch (condition.kind) {
    case "check_in":
      return false;
    case "topic_resolved":
      return senders.size > 0;
    case "reply":
      return condition.by
        ? condition.by.some((id) => senders.has(id))
        : senders.size > (senders.has(senderId) ? 1 : 0);
  }
}
