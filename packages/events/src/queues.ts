import { randomUUID } from "node:crypto";

import { queueDeleted } from "@carillon/contract";
import { statement, type RowOf, type Sql, type Tx } from "@carillon/db";

import { emit } from "./emit.ts";
import { servedSecondsSql } from "./lifetimes.ts";
import type { EventQueue } from "./queue-options.ts";

/** Maximum live queues per account; beyond it, the longest unused are deleted. */
const queuesPerUser = 100;

/** A queue to be inserted. Its user visibility is that of its account. */
export type NewQueue = Omit<EventQueue, "id" | "viewerRole">;

/** SQL: UNIX time in seconds, with a fraction; null if the account was never deactivated. Reactivation keeps it. */
const lastDeactivation = "extract(epoch FROM deactivated_at)::float8";

const begin = statement({
  name: "event-queue-begin",
  text: `SELECT ${lastDeactivation} AS "lastDeactivation",
      coalesce((SELECT seq FROM event_head h WHERE h.realm_id = u.realm_id), 0) AS "baseSeq"
    FROM users u WHERE id = $1`,
});

/** Where a queue begins: the part of the client's snapshot that {@link insertQueue} needs. */
export type QueueBegin = RowOf<typeof begin>;

/**
 * Reads where a queue of the account begins.
 * @param tx repeatable read: the transaction that reads the rest of the snapshot
 */
export async function readQueueBegin(tx: Tx, userId: number): Promise<QueueBegin> {
  const row = await tx.first(begin, [userId]);
  return row ?? { lastDeactivation: null, baseSeq: 0 };
}

const insert = statement({
  name: "event-queue-insert",
  text: `INSERT INTO event_queue (queue_id, realm_id, user_id, base_seq, options, idle_timeout)
    SELECT $1, $2, id, $4, $5, $6 FROM users
    WHERE id = $3 AND is_active AND ${lastDeactivation} IS NOT DISTINCT FROM $7
    FOR SHARE
    RETURNING queue_id AS id`,
});

/**
 * Inserts a queue whose events begin after `baseSeq`.
 * @param tx read committed, and not the repeatable-read transaction of the client's snapshot: that one would fail with a
 *   serialization failure if the account has changed since
 * @param queue with the position of that snapshot, which is less than `minLogSeconds` old
 * @returns its id; undefined if the account has been deactivated since the snapshot, even if it is active again:
 *   meanwhile it received no events
 */
export async function insertQueue(
  tx: Tx,
  queue: NewQueue & QueueBegin,
): Promise<string | undefined> {
  const id = randomUUID();
  const lock = { name: "accounts", keys: [queue.userId], shared: true } as const;
  const [inserted] = await tx.lock(lock, insert, [
    id,
    queue.realmId,
    queue.userId,
    queue.baseSeq,
    JSON.stringify(queue.options),
    queue.idleTimeout,
    queue.lastDeactivation,
  ]);
  return inserted && id;
}

/** SQL: whether the queue `q` is served. */
export const aliveQueue = `q.last_seen + make_interval(secs => ${servedSecondsSql}) >= now()`;

const evict = statement({
  name: "event-queues-evict",
  text: `WITH many AS (
      SELECT queue_id FROM event_queue q WHERE user_id = $1
      ORDER BY queue_id = $3 DESC, (${aliveQueue}) DESC, last_seen DESC OFFSET $2
    ), free AS (
      SELECT q.queue_id FROM event_queue q JOIN many USING (queue_id) FOR NO KEY UPDATE OF q SKIP LOCKED
    )
    DELETE FROM event_queue WHERE queue_id IN (SELECT queue_id FROM free)`,
});

/**
 * Deletes queues beyond an account's limit, expired ones first and never the newest. Skips locked rows, like every
 * statement that writes several queues: another transaction is deleting or using them.
 */
export async function evictQueues(sql: Sql, userId: number, newest: string): Promise<void> {
  await sql.rows(evict, [userId, queuesPerUser, newest]);
}

const deleteOwn = statement({
  name: "event-queue-delete-own",
  text: `DELETE FROM event_queue q WHERE queue_id = $1 AND user_id = $2
    RETURNING realm_id AS "realmId", ${aliveQueue} AS alive`,
});

/**
 * Deletes a queue of the account and emits an event, so that an open poll on any gateway ends.
 * @returns false when there is no live queue of this id
 */
export async function deleteQueue(tx: Tx, userId: number, queueId: string): Promise<boolean> {
  if (!isUuid(queueId)) return false;
  const deleted = await tx.first(deleteOwn, [queueId, userId]);
  if (!deleted?.alive) return false;
  emit(tx, deleted.realmId, [queueDeleted({ queue_id: queueId }, { audience: [] })]);
  return true;
}

const drop = statement({
  name: "event-queue-drop",
  text: "DELETE FROM event_queue WHERE queue_id = $1",
});

/** Deletes a queue that cannot be served any more. */
export async function dropQueue(sql: Sql, queueId: string): Promise<void> {
  await sql.rows(drop, [queueId]);
}

/** Returns whether the text is a UUID: PostgreSQL rejects other texts. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}
