import { errors } from "@carillon/contract";
import { notNull, type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { loadRealm, lockOrganization, recordAudit } from "@carillon/model";

/*
 * The states of an organization that is moved to another installation (docs/moving.md):
 *
 *     open ── makeReadOnly ──→ read-only ── closeEventLog ──→ closed ── redirectOrganization ──→ moved
 *       ↑                          │                             │
 *       └──────────────────── reopenOrganization ────────────────┘
 *
 * In a read-only organization, gateways refuse requests that change something, and workers send nothing new; they finish
 * the work that they have begun. In a closed organization, every transaction with an event fails, whether a request or a
 * worker began it. So an export that is read afterwards contains every change that was acknowledged.
 *
 * A closed organization that moves between cells is deactivated instead of redirected (`setDeactivated`). Its requests then
 * get 503, and a reactivation makes it closed again.
 */

const readOnly = statement({
  name: "organization-make-read-only",
  text: `UPDATE realms SET read_only_since = coalesce(read_only_since, now())
    WHERE id = $1 AND NOT deactivated RETURNING id`,
});

/**
 * Makes an organization read-only.
 * @throws ApiError `BAD_REQUEST` if it is deactivated
 */
export async function makeReadOnly(tx: Tx, realmId: number): Promise<void> {
  await lockOrganization(tx, realmId);
  if ((await tx.rows(readOnly, [realmId])).length === 0)
    throw errors.badRequest("the organization is deactivated: it can be exported without --final");
  recordAudit(tx, realmId, null, [{ type: "organization_read_only" }]);
}

const unfinished = statement({
  name: "organization-unfinished-work",
  text: `SELECT
      (SELECT count(*)::int FROM job_intent WHERE realm_id = $1 AND state = 'pending'
        AND run_at < now() + interval '5 seconds') AS jobs,
      (SELECT count(*)::int FROM pg_stat_activity a JOIN realms r ON r.id = $1
        WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
          AND a.xact_start < r.read_only_since + interval '1 second') AS transactions`,
});

/** Counts pending jobs of a read-only organization, and transactions that may have begun before it was read-only. */
export async function unfinishedWork(
  sql: Sql,
  realmId: number,
): Promise<{ readonly jobs: number; readonly transactions: number }> {
  const [row] = await sql.rows(unfinished, [realmId]);
  return { jobs: row?.jobs ?? 0, transactions: row?.transactions ?? 0 };
}

const close = statement({
  name: "event-head-close",
  text: "UPDATE event_head SET last_seq = seq WHERE realm_id = $1 RETURNING last_seq",
});

/**
 * Closes the event log, so that later transactions with events fail. Waits for transactions that are committing events.
 * @throws ApiError `BAD_REQUEST` if the organization is no longer read-only, because it was reopened
 */
export async function closeEventLog(tx: Tx, realmId: number): Promise<void> {
  await lockOrganization(tx, realmId);
  if (!(await loadRealm(tx, realmId)).isReadOnly)
    throw errors.badRequest(
      "the organization was reopened during its final export: run the export again",
    );
  await tx.lock({ name: "eventHead", keys: [realmId] }, close, [realmId]);
}

/** Returns whether a transaction failed because the event log of its organization is closed. */
export function isAfterLastEvent(error: unknown): boolean {
  return (error as { constraint?: unknown } | null)?.constraint === "event_head_open";
}

const finalExport = statement({
  name: "organization-has-final-export",
  text: "SELECT FROM event_head WHERE realm_id = $1 AND last_seq IS NOT NULL",
});

const reopen = statement({
  name: "organization-reopen",
  text: `UPDATE realms SET read_only_since = NULL
    WHERE id = $1 AND NOT deactivated AND read_only_since IS NOT NULL RETURNING id`,
});

const open = statement({
  name: "event-head-open",
  text: "UPDATE event_head SET last_seq = NULL WHERE realm_id = $1 RETURNING realm_id",
});

/**
 * Opens a read-only organization again.
 * @param notImported whether the operator says that its final export was not imported
 * @throws ApiError `BAD_REQUEST` unless it is read-only, active and not redirected; also if it has a final export and
 *   `notImported` is false
 */
export async function reopenOrganization(
  tx: Tx,
  realmId: number,
  { notImported }: { readonly notImported: boolean },
): Promise<void> {
  await lockOrganization(tx, realmId);
  if (!notImported && (await tx.rows(finalExport, [realmId])).length > 0)
    throw errors.badRequest(
      "the organization has a final export. If that was imported, both organizations would send what is scheduled: there is no way back. If it was not imported, or its import was deleted with import --discard, run this again with --not-imported",
    );
  if ((await tx.rows(reopen, [realmId])).length === 0)
    throw errors.badRequest(
      "the organization is not read-only; or it has been redirected, and there is no way back; or it is deactivated: run carillon organization reactivate first",
    );
  await tx.lock({ name: "eventHead", keys: [realmId] }, open, [realmId]);
  recordAudit(tx, realmId, null, [{ type: "organization_reopened" }]);
}

const redirect = statement({
  name: "organization-redirect",
  text: `WITH queues AS (DELETE FROM event_queue WHERE realm_id = $1)
    UPDATE realms SET moved_to = $2, deactivated = true
    WHERE id = $1 AND read_only_since IS NOT NULL
      AND EXISTS (SELECT FROM event_head WHERE realm_id = $1 AND last_seq IS NOT NULL) RETURNING id`,
});

/**
 * Deactivates an organization that has moved, and redirects its address.
 * @param url address of the organization at the other installation, without a slash at the end
 * @throws ApiError `BAD_REQUEST` unless its final export has been made
 */
export async function redirectOrganization(tx: Tx, realmId: number, url: string): Promise<void> {
  await lockOrganization(tx, realmId);
  if ((await tx.rows(redirect, [realmId, url])).length === 0)
    throw errors.badRequest(
      "the organization has no final export: run carillon organization export FOLDER --final first",
    );
}

const moved = statement({
  name: "organizations-moved",
  text: "SELECT subdomain, moved_to AS url FROM realms WHERE moved_to IS NOT NULL",
});

/** Returns the new addresses of organizations that have moved, by subdomain. */
export async function movedOrganizations(sql: Sql): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.rows(moved, []);
  return new Map(
    rows.flatMap(({ subdomain, url }) => (url === null ? [] : [[subdomain, url] as const])),
  );
}

const unfinishedMoves = statement({
  name: "organizations-of-unfinished-moves",
  text: `SELECT r.subdomain, r.read_only_since AS since, coalesce(h.last_seq IS NOT NULL, false) AS "hasFinalExport"
    FROM realms r LEFT JOIN event_head h ON h.realm_id = r.id
    WHERE r.read_only_since < now() - interval '1 hour' AND NOT r.deactivated
      AND (h.last_seq IS NOT NULL OR NOT EXISTS (SELECT FROM organization_imports i WHERE i.realm_id = r.id))
    ORDER BY r.id`,
  overrides: { since: notNull },
});

/**
 * Lists active organizations that have been read-only for more than an hour. Leaves out copies that were imported for a trial,
 * which stay read-only (docs/moving.md).
 */
export function listUnfinishedMoves(sql: Sql): Promise<Array<RowOf<typeof unfinishedMoves>>> {
  return sql.rows(unfinishedMoves, []);
}
