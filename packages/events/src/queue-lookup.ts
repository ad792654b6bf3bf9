import { type DescribedStatement, notNull, type Sql, typed } from "@carillon/db";

import { aliveQueue, isUuid } from "./queues.ts";
import type { Poll } from "./poll.ts";
import type { EventQueue, QueueOptions } from "./queue-options.ts";

/** SQL expressions about the row `u` of an account, part of the statements of every poll. The domain provides them. */
export interface AccountSql {
  readonly table: string;
  /** See {@link EventQueue.viewerRole}. */
  readonly viewerRole: string;
  /** Whether the account may listen to all public channels. */
  readonly mayListenToAll: string;
  /** The digest of the account's API key. */
  readonly keyDigest: string;
  /** Whether the account is active; the queues of a deactivated account count as expired. */
  readonly isActive: string;
}

/** A queue with the current end of its organization's log. */
export interface FoundQueue {
  readonly queue: EventQueue;
  readonly head: number;
  /** Whether the request's API key is still the account's key. */
  readonly keyIsCurrent: boolean;
}

const foundOverrides = {
  options: typed<QueueOptions>(),
  keyIsCurrent: notNull,
};

/** Builds the statements of polls. They cannot be static because the domain provides the SQL about accounts. */
export function queueStatements({
  table,
  viewerRole,
  mayListenToAll,
  keyDigest,
  isActive,
}: AccountSql): {
  find: DescribedStatement<"event-queue", typeof foundOverrides>;
  touch: DescribedStatement<"event-queues-touch">;
  touchSeveral: DescribedStatement<"event-queues-touch-several">;
} {
  return {
    find: {
      name: "event-queue",
      text: `SELECT q.queue_id AS id, q.realm_id AS "realmId", q.user_id AS "userId", ${viewerRole} AS "viewerRole",
          q.base_seq AS "baseSeq",
          CASE WHEN ${mayListenToAll} THEN q.options ELSE q.options || '{"allPublicChannels": false}' END AS options,
          q.idle_timeout AS "idleTimeout", h.seq AS head, ${keyDigest} = $3 AS "keyIsCurrent"
        FROM event_queue q JOIN event_head h ON h.realm_id = q.realm_id JOIN ${table} u ON u.id = q.user_id
        WHERE q.queue_id = $1 AND q.user_id = $2 AND ${aliveQueue}`,
      overrides: foundOverrides,
    },
    touch: {
      name: "event-queues-touch",
      text: `UPDATE event_queue q SET last_seen = now() FROM ${table} u
        WHERE q.queue_id = ANY($1::uuid[]) AND u.id = q.user_id AND ${isActive} RETURNING q.queue_id AS id`,
    },
    touchSeveral: {
      name: "event-queues-touch-several",
      text: `WITH free AS (
          SELECT queue_id FROM event_queue WHERE queue_id = ANY($1::uuid[]) FOR NO KEY UPDATE SKIP LOCKED
        ), touched AS (
          UPDATE event_queue q SET last_seen = now() FROM free, ${table} u
          WHERE q.queue_id = free.queue_id AND u.id = q.user_id AND ${isActive}
        )
        SELECT q.queue_id AS id FROM event_queue q JOIN ${table} u ON u.id = q.user_id
        WHERE q.queue_id = ANY($1::uuid[]) AND ${isActive}`,
    },
  };
}

/** Looks up queues with their accounts, and updates `last_seen`. */
export class QueueLookup {
  readonly #statements: ReturnType<typeof queueStatements>;

  constructor(accounts: AccountSql) {
    this.#statements = queueStatements(accounts);
  }

  /** Returns the account's queue; undefined if it is unknown, expired or belongs to another account. */
  async find(
    sql: Sql,
    { userId, keyDigest, queueId }: Pick<Poll, "userId" | "keyDigest" | "queueId">,
  ): Promise<FoundQueue | undefined> {
    if (!isUuid(queueId)) return undefined;
    const [row] = await sql.rows(this.#statements.find, [queueId, userId, keyDigest]);
    if (!row) return undefined;
    const { head, keyIsCurrent, ...queue } = row;
    return { queue, head, keyIsCurrent };
  }

  /**
   * Updates `last_seen` of the queues and returns the ids of those that exist and belong to active accounts. With
   * several ids, locked rows are skipped: the lock holder is touching or deleting that queue, and the next call sees
   * the result.
   */
  async touch(sql: Sql, ids: readonly string[]): Promise<Set<string>> {
    const { touch, touchSeveral } = this.#statements;
    const rows = await sql.rows(ids.length === 1 ? touch : touchSeveral, [ids]);
    return new Set(rows.map(({ id }) => id));
  }
}
