import { allEvents, eventOf } from "@carillon/contract";
import { notNull, statement, typed, type RowOf, type Sql } from "@carillon/db";

import type { LoggedEvent } from "./queue-options.ts";

/** A row of the log as a gateway keeps it in memory. */
export interface LogRow {
  readonly event: LoggedEvent;
  /** Approximate size in memory, in bytes. */
  readonly weight: number;
  /** When it was written, as `performance.now()` of this process. */
  readonly loggedAt: number;
}

const overrides = { userData: typed<NonNullable<LoggedEvent["userData"]>>() };

/** A row of the log; `age`: in seconds. */
type Row = RowOf<typeof tail>;

const age = "extract(epoch FROM now() - created_at)::float8 AS age";
const columns = `seq, type, op, payload::text AS payload, audience, user_data AS "userData", ${age}`;

const tail = statement({
  name: "event-log-tail",
  text: `SELECT ${columns} FROM event_log WHERE realm_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
  overrides,
});

/** Returns the rows after number `after`, oldest first, without gaps. */
export async function readLog(
  sql: Sql,
  realmId: number,
  after: number,
  limit: number,
): Promise<LogRow[]> {
  return (await sql.rows(tail, [realmId, after, limit])).map(logRow);
}

const forAllPublic = allEvents.filter((event) => "forAllPublic" in event).map(({ type }) => type);

/**
 * Reduces `audience` and `user_data`, which can have 10,000 entries, to this account. Returns rows until the texts of their
 * payloads have `$8` bytes. PostgreSQL decompresses a payload to measure its text. For a hundred events of 1 MB that took
 * 0.6 s, and the query returned one. Therefore the query first estimates sizes and drops rows beyond the limit. The estimate
 * of a compressed payload is 16 times its stored size, because few texts are longer. The estimate of any other payload is a
 * quarter of its stored size, because few texts are shorter.
 */
const forUser = statement({
  name: "event-log-for-user",
  text: `WITH candidates AS (
      SELECT *, pg_column_size(payload) * CASE WHEN pg_column_compression(payload) IS NULL THEN 0.25 ELSE 16 END AS estimate
      FROM event_log
      WHERE realm_id = $1 AND seq > $2 AND seq <= $3
        AND (audience IS NULL OR audience @> ARRAY[$4::int] OR ($5 AND type = ANY($7::text[])))
      ORDER BY seq LIMIT $6
    ), estimated AS (
      SELECT *, sum(estimate) OVER (ORDER BY seq) - estimate AS before FROM candidates
    ), texts AS (
      SELECT seq, type, op, payload::text AS payload,
        CASE WHEN audience IS NULL THEN NULL WHEN audience @> ARRAY[$4::int] THEN ARRAY[$4::int]
          ELSE '{}'::int[] END AS audience,
        CASE WHEN user_data ? $4::text THEN jsonb_build_object($4::text, user_data->$4::text) END AS "userData",
        ${age}
      FROM estimated WHERE before < $8::bigint
    ), sized AS (
      SELECT *, sum(octet_length(payload)) OVER (ORDER BY seq) - octet_length(payload) AS before FROM texts
    )
    SELECT seq, type, op, payload, audience, "userData", age, (SELECT count(*) FROM candidates)::int AS candidates
    FROM sized WHERE before < $8::bigint ORDER BY seq`,
  overrides: { ...overrides, payload: notNull, age: notNull },
});

/**
 * Returns the rows after `after` up to `until` that one account may receive; for a queue that is far behind.
 * @param range `maxBytes`: the payloads before the last one have fewer bytes than this. If payloads are compressed, the
 *   function may return fewer rows than would fit
 * @returns `hasMore`: whether there may be further rows up to `until`
 */
export async function readLogFor(
  sql: Sql,
  queue: { realmId: number; userId: number; allPublicChannels: boolean },
  range: { after: number; until: number; limit: number; maxBytes: number },
): Promise<{ readonly rows: LogRow[]; readonly hasMore: boolean }> {
  const { realmId, userId, allPublicChannels } = queue;
  const { after, until, limit, maxBytes } = range;
  const rows = await sql.rows(forUser, [
    realmId,
    after,
    until,
    userId,
    allPublicChannels,
    limit,
    forAllPublic,
    maxBytes,
  ]);
  const candidates = rows[0]?.candidates ?? 0;
  return { rows: rows.map(logRow), hasMore: candidates === limit || rows.length < candidates };
}

const ageOf = statement({
  name: "event-log-age",
  text: `SELECT ${age} FROM event_log WHERE realm_id = $1 AND seq = $2`,
});

/** Returns how many seconds ago the row was written; undefined when the log no longer has it. */
export async function ageInLog(
  sql: Sql,
  realmId: number,
  seq: number,
): Promise<number | undefined> {
  const [row] = await sql.rows(ageOf, [realmId, seq]);
  return row?.age;
}

const oldest = statement({
  name: "event-log-oldest",
  text: `SELECT seq, extract(epoch FROM created_at)::float8 AS at FROM event_log WHERE realm_id = $1 ORDER BY seq LIMIT 1`,
});

/** Returns the oldest event in the organization's log, with its time in UNIX seconds; undefined if the log is empty. */
export async function oldestInLog(
  sql: Sql,
  realmId: number,
): Promise<{ readonly seq: number; readonly at: number } | undefined> {
  return (await sql.rows(oldest, [realmId]))[0];
}

/** A binary search by number: the times are in the same order, but have no index. */
const atTime = statement({
  name: "event-log-at-time",
  text: `WITH RECURSIVE halves (low, high) AS (
      SELECT min(seq), max(seq) + 1 FROM event_log WHERE realm_id = $1
      UNION ALL
      SELECT CASE WHEN e.created_at < to_timestamp($2) THEN e.seq + 1 ELSE low END,
        CASE WHEN e.created_at < to_timestamp($2) THEN high ELSE e.seq END
      FROM halves JOIN event_log e ON e.realm_id = $1 AND e.seq = (low + high) / 2 WHERE low < high
    )
    SELECT e.seq FROM halves JOIN event_log e ON e.realm_id = $1 AND e.seq = low WHERE low = high`,
});

/**
 * Returns the number of the first event at or after a time.
 * @param time UNIX seconds
 * @returns undefined if there is none
 */
export async function seqAtTime(
  sql: Sql,
  realmId: number,
  time: number,
): Promise<number | undefined> {
  return (await sql.rows(atTime, [realmId, time]))[0]?.seq;
}

const head = statement({
  name: "event-head",
  text: "SELECT seq FROM event_head WHERE realm_id = $1",
});

/** Returns the number of the organization's last event; 0 before the first. */
export async function readHead(sql: Sql, realmId: number): Promise<number> {
  const [last] = await sql.rows(head, [realmId]);
  return last?.seq ?? 0;
}

const heads = statement({
  name: "event-heads",
  // `hasEnded` ends the polls of an organization with a closed log, which takes no event that could end them.
  text: `SELECT realm_id AS "realmId", seq,
      CASE WHEN last_seq IS NULL THEN false
        ELSE EXISTS (SELECT FROM realms r WHERE r.id = realm_id AND r.deactivated) END AS "hasEnded"
    FROM event_head WHERE realm_id = ANY($1::int[])`,
});

/**
 * Returns the number of the last event of each organization. `hasEnded`: whether the organization is deactivated and its log
 * is closed, because it has moved to another installation (docs/moving.md).
 */
export async function readHeads(
  sql: Sql,
  realmIds: readonly number[],
): Promise<Array<{ realmId: number; seq: number; hasEnded: boolean }>> {
  return sql.rows(heads, [realmIds]);
}

/** Size of a row without its texts, in bytes. */
const overhead = 300;

function logRow({ payload, age: seconds, ...row }: Row): LogRow {
  return {
    loggedAt: performance.now() - seconds * 1_000,
    event: {
      declared: eventOf(row.type, row.op),
      payload: JSON.parse(payload) as LoggedEvent["payload"],
      ...row,
    },
    // A parsed payload takes about twice the size of its text.
    weight: overhead + payload.length * 2 + (row.audience?.length ?? 0) * 8,
  };
}
