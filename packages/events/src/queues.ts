import { randomUUID } from "node:crypto";

import { queueDeleted, roles } from "@carillon/contract";
import { leads, type Sql, type Tx } from "@carillon/db";
import { clearEvents } from "@carillon/jobs";

import { emit } from "./emit.ts";
import { grace, longestLag, servedSeconds, shortestLog } from "./lifetimes.ts";
import type { EventQueue, QueueOptions } from "./queue-options.ts";

/** Live queues of one account: the longest unused of more are given up. */
const queuesPerUser = 100;

/** A queue that is yet to come; the role is its account's. */
export type NewQueue = Omit<EventQueue, "id" | "role">;

/**
 * Inserts a queue whose events begin after `baseSeq`, which must have been read in the same snapshot as everything
 * that the client is told.
 */
export async function insertQueue(
  tx: Tx,
  queue: NewQueue,
): Promise<NewQueue & { readonly id: string }> {
  const id = randomUUID();
  await tx.lock(
    { name: "accounts", keys: [queue.userId], shared: true },
    `INSERT INTO event_queue (queue_id, realm_id, user_id, base_seq, options, idle_timeout)
     SELECT $1, $2, id, $4, $5, $6 FROM users WHERE id = $3 FOR SHARE`,
    [
      id,
      queue.realmId,
      queue.userId,
      queue.baseSeq,
      JSON.stringify(queue.options),
      queue.idleTimeout,
    ],
  );
  return { ...queue, id };
}

/** A queue, and where the organization's log ends now. */
export interface FoundQueue {
  readonly queue: EventQueue;
  readonly head: number;
  /** Whether the key that the caller came with is the account's still. */
  readonly keyIsCurrent: boolean;
}

interface Row {
  id: string;
  realmId: number;
  userId: number;
  role: number;
  baseSeq: number;
  options: QueueOptions;
  idleTimeout: number;
  head: number;
  keyIsCurrent: boolean;
}

const alive = `q.last_seen + make_interval(secs => ${servedSeconds}) >= now()`;

/** Gives up the queues that an account has too many, dead ones first and never the one that it has just got. */
export async function evictQueues(sql: Sql, userId: number, newest: string): Promise<void> {
  await sql.rows(
    {
      name: "event-queues-evict",
      text: `DELETE FROM event_queue WHERE queue_id IN (
        SELECT queue_id FROM event_queue q WHERE user_id = $1
        ORDER BY queue_id = $3 DESC, (${alive}) DESC, last_seen DESC OFFSET $2)`,
    },
    [userId, queuesPerUser, newest],
  );
}

/** All public channels are not for guests, also those who have become one since they registered. */
const find = {
  name: "event-queue",
  text: `SELECT q.queue_id AS id, q.realm_id AS "realmId", q.user_id AS "userId", u.role, q.base_seq AS "baseSeq",
      CASE WHEN u.role = ${roles.guest} THEN q.options || '{"allPublicChannels": false}' ELSE q.options END AS options,
      q.idle_timeout AS "idleTimeout", h.seq AS head, u.api_key_digest = $3 AS "keyIsCurrent"
    FROM event_queue q JOIN event_head h ON h.realm_id = q.realm_id JOIN users u ON u.id = q.user_id
    WHERE q.queue_id = $1 AND q.user_id = $2 AND ${alive}`,
};

/**
 * The account's queue; undefined for one that is unknown, expired or somebody else's.
 * @param keyDigest of the key that the caller came with
 */
export async function findQueue(
  sql: Sql,
  userId: number,
  keyDigest: Uint8Array,
  queueId: string,
): Promise<FoundQueue | undefined> {
  if (!isUuid(queueId)) return undefined;
  const [row] = await sql.rows<Row>(find, [queueId, userId, keyDigest]);
  if (!row) return undefined;
  const { head, keyIsCurrent, ...queue } = row;
  return { queue, head, keyIsCurrent };
}

/**
 * Deletes a queue of the account and tells every gateway, so that an open poll on it ends.
 * @returns false when there is none that lives
 */
export async function deleteQueue(tx: Tx, userId: number, queueId: string): Promise<boolean> {
  if (!isUuid(queueId)) return false;
  const deleted = await tx.first<{ realmId: number; alive: boolean }>(
    `DELETE FROM event_queue q WHERE queue_id = $1 AND user_id = $2
     RETURNING realm_id AS "realmId", ${alive} AS alive`,
    [queueId, userId],
  );
  if (!deleted?.alive) return false;
  emit(tx, deleted.realmId, [queueDeleted({ queue_id: queueId }, { audience: [] })]);
  return true;
}

/** Gives up a queue that cannot be served any more. */
export async function dropQueue(sql: Sql, queueId: string): Promise<void> {
  await sql.rows("DELETE FROM event_queue WHERE queue_id = $1", [queueId]);
}

const touch = {
  name: "event-queues-touch",
  text: `UPDATE event_queue q SET last_seen = now() FROM users u
    WHERE q.queue_id = ANY($1::uuid[]) AND u.id = q.user_id AND u.is_active RETURNING q.queue_id AS id`,
};

/** Notes that the queues are in use; returns those that live, of active accounts. */
export async function touchQueues(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql.rows<{ id: string }>(touch, [ids]);
  return new Set(rows.map(({ id }) => id));
}

function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

/**
 * Deletes dead queues, and events that no live queue can still ask for (events.md §6). One process at a time does it.
 * @returns what it deleted; undefined when another process is at it
 */
export async function collectGarbage(db: {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}): Promise<{ queues: number; events: number } | undefined> {
  return db.transaction(async (tx) => {
    if (!(await leads(tx, clearEvents))) return undefined;
    const queues = await tx.count(
      `DELETE FROM event_queue q WHERE q.last_seen + make_interval(secs => ${servedSeconds} + ${grace}) < now()`,
    );
    const realms = await tx.rows<{ realmId: number; keep: number }>(
      `SELECT h.realm_id AS "realmId", greatest(${shortestLog}, max(q.idle_timeout)) + ${longestLag} AS keep
       FROM event_head h LEFT JOIN event_queue q ON q.realm_id = h.realm_id GROUP BY h.realm_id`,
    );
    let events = 0;
    for (const { realmId, keep } of realms) {
      events += await tx.count(
        `DELETE FROM event_log WHERE realm_id = $1 AND seq <= (
           SELECT max(seq) FROM (
             SELECT seq, created_at FROM event_log WHERE realm_id = $1 ORDER BY seq LIMIT ${clearEvents.bound.batch}) oldest
           WHERE created_at < now() - make_interval(secs => $2))`,
        [realmId, keep],
      );
    }
    return { queues, events };
  });
}
