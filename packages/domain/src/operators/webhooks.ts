import { type Database, type RowOf, type Sql, statement, typed } from "@carillon/db";
import { callJob, type CallWebhook } from "@carillon/jobs";
import { addJobsAfterCommit } from "@carillon/outbox";

/** Endpoints of one page. */
const pageSize = 100;

const endpoints = statement({
  name: "operator-endpoints",
  text: `SELECT s.bot_id AS "botId", b.full_name AS "botName", b.is_active AS "isActive", s.realm_id AS "realmId",
      r.name AS "realmName", o.full_name AS "ownerName", o.id AS "ownerId", s.origin, s.interface AS format, s.failing,
      (SELECT count(*) FROM outgoing_call c WHERE c.bot_id = s.bot_id AND c.state = 'waiting')::int AS waiting,
      (SELECT count(*) FROM outgoing_call c WHERE c.bot_id = s.bot_id AND c.state = 'dead')::int AS dead,
      (SELECT extract(epoch FROM now() - min(c.started_at)) FROM outgoing_call c
        WHERE c.bot_id = s.bot_id AND c.state = 'waiting')::float8 AS "oldestSeconds",
      greatest(0, extract(epoch FROM g.open_until - now()))::float8 AS "openSeconds", g.failures AS "unanswered",
      extract(epoch FROM a.attempted_at)::float8 AS "lastAt", a.status AS "lastStatus", a.error AS "lastError",
      a.outcome AS "lastOutcome", extract(epoch FROM now())::float8 AS now
    FROM bot_service s JOIN users b ON b.id = s.bot_id JOIN realms r ON r.id = s.realm_id
      LEFT JOIN users o ON o.id = b.bot_owner_id
      LEFT JOIN outgoing_origin g ON g.realm_id = s.realm_id AND g.origin = s.origin
      LEFT JOIN LATERAL (SELECT * FROM outgoing_attempt t WHERE t.bot_id = s.bot_id ORDER BY t.id DESC LIMIT 1) a ON true
    WHERE s.bot_id > $1 AND ($2::int IS NULL OR s.realm_id = $2)
    ORDER BY s.bot_id LIMIT ${pageSize + 1}`,
  overrides: { lastOutcome: typed<"done" | "retry" | "failed">() },
});

/**
 * The endpoint of an outgoing webhook bot, for an operator, without its path, which may hold secrets. Times are UNIX
 * seconds.
 * - `openSeconds`: for how long its circuit breaker is open; null for a closed one, like `unanswered`.
 * - `lastAt`: of its last call; null before the first, like `lastStatus` and `lastOutcome`.
 */
export type EndpointView = RowOf<typeof endpoints>;

/** Lists endpoints by the ids of their bots. @param after the last bot of the page before */
export async function listEndpoints(
  sql: Sql,
  { after = 0, realmId }: { readonly after?: number; readonly realmId?: number } = {},
): Promise<{ readonly rows: readonly EndpointView[]; readonly next: number | undefined }> {
  const rows = await sql.rows(endpoints, [after, realmId ?? null]);
  const page = rows.slice(0, pageSize);
  return { rows: page, next: rows.length > pageSize ? page.at(-1)?.botId : undefined };
}

const dead = statement({
  name: "operator-dead-calls",
  text: `SELECT c.id, c.version, c.realm_id AS "realmId", r.name AS "realmName", c.bot_id AS "botId",
      b.full_name AS "botName", c.message_id AS "messageId", c.webhook_id AS "webhookId", c.attempts, c.reason,
      extract(epoch FROM c.finished_at)::float8 AS "deadAt", extract(epoch FROM now())::float8 AS now
    FROM outgoing_call c JOIN users b ON b.id = c.bot_id JOIN realms r ON r.id = c.realm_id
    WHERE c.state = 'dead' AND ($1::bigint IS NULL OR c.id < $1) AND ($2::int IS NULL OR c.bot_id = $2)
    ORDER BY c.id DESC LIMIT ${pageSize + 1}`,
});

/** A call that was given up. `deadAt`: UNIX seconds. */
export type DeadCall = RowOf<typeof dead>;

/** Lists calls that were given up, latest first. @param before the last call of the page before */
export async function listDeadCalls(
  sql: Sql,
  { before, botId }: { readonly before?: number; readonly botId?: number } = {},
): Promise<{ readonly rows: readonly DeadCall[]; readonly next: number | undefined }> {
  const rows = await sql.rows(dead, [before ?? null, botId ?? null]);
  const page = rows.slice(0, pageSize);
  return { rows: page, next: rows.length > pageSize ? page.at(-1)?.id : undefined };
}

/** A choice of calls that were given up: by their ids, or all of a bot. */
export type DeadCallChoice = { readonly ids: readonly number[] } | { readonly botId: number };

/** Rows of one transaction. */
const batch = 500;

const acting = (
  event: string,
  change: string,
  name: "operator-calls-retry" | "operator-calls-discard",
) =>
  statement({
    name,
    text: `WITH chosen AS (
        SELECT id FROM outgoing_call WHERE state = 'dead' AND (id = ANY($1::bigint[]) OR bot_id = $2)
        ORDER BY id LIMIT ${batch} FOR NO KEY UPDATE SKIP LOCKED
      ), changed AS (
        UPDATE outgoing_call c SET ${change} FROM chosen WHERE c.id = chosen.id
        RETURNING c.id, c.realm_id, c.bot_id, c.message_id, c.webhook_id, c.version, c.calls
      ), audited AS (
        INSERT INTO audit_log (realm_id, modified_user_id, event_type, extra_data)
        SELECT realm_id, bot_id, '${event}', jsonb_build_object('call_id', id, 'message_id', message_id,
          'webhook_id', webhook_id, 'version', version, 'operator', $3::text) FROM changed
      )
      SELECT id AS "callId", version, calls FROM changed`,
  });

const retry = acting(
  "webhook_call_replayed",
  `state = 'waiting', version = c.version + 1, attempts = 0, overflowed = false, next_at = now(),
          calling_until = NULL, started_at = now(), finished_at = NULL`,
  "operator-calls-retry",
);

const discard = acting(
  "webhook_call_discarded",
  "state = 'ended', finished_at = now()",
  "operator-calls-discard",
);

/**
 * Puts calls that were given up back into the queue, under their old `webhook-id`. Has no effect on calls that are in the queue already.
 * @param operator name for the audit log
 * @returns how many
 */
export function retryDeadCalls(
  db: Database,
  choice: DeadCallChoice,
  operator: string,
): Promise<number> {
  return actOn(db, retry, choice, operator, true);
}

/** Discards calls that were given up. Takes the parameters of {@link retryDeadCalls}. @returns how many */
export function discardDeadCalls(
  db: Database,
  choice: DeadCallChoice,
  operator: string,
): Promise<number> {
  return actOn(db, discard, choice, operator, false);
}

async function actOn(
  db: Database,
  change: typeof retry,
  choice: DeadCallChoice,
  operator: string,
  adds: boolean,
): Promise<number> {
  const values = "ids" in choice ? [choice.ids, null, operator] : [[], choice.botId, operator];
  let count = 0;
  for (;;) {
    const changed: CallWebhook[] = await db.transaction(async (tx) => {
      const rows = await tx.rows(change, values);
      if (adds)
        addJobsAfterCommit(
          tx,
          rows.map((row) => callJob(row)),
        );
      return rows;
    });
    count += changed.length;
    if (changed.length < batch) return count;
  }
}
