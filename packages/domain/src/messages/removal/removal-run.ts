import { statement, type Tx } from "@carillon/db";

/**
 * Why messages are removed: retention period, deleted topic, deleted message, a notice whose change was undone, or a
 * deactivated sender.
 */
type RemovalCause = "retention" | "topic" | "message" | "undone-notice" | "deactivation";

/** A run of removals: one or more batches with the same cause, recorded as one row of `message_removals`. */
export interface RemovalRun {
  readonly realmId: number;
  /** The channel of all its messages; null for direct messages and for several channels. */
  readonly channelId: number | null;
  readonly cause: RemovalCause;
  /** The account that requested it; null for scheduled runs. */
  readonly actorId: number | null;
  /** Id of its row, after its first batch has committed. */
  readonly id?: number | undefined;
  /** When its row was last written, in `performance.now()` milliseconds. */
  readonly recordedAt?: number | undefined;
}

/** A run that has a row. */
export interface RecordedRun extends RemovalRun {
  readonly id: number;
}

/** Milliseconds after which the row is written again. */
const recordEveryMs = 60_000;

const record = statement({
  name: "removal-note",
  text: `INSERT INTO message_removals (id, realm_id, channel_id, cause, actor_id)
    VALUES (coalesce($1::bigint, nextval('message_removals_id_seq')), $2, $3, $4, $5)
    ON CONFLICT (id) DO UPDATE SET ended_at = now() RETURNING id`,
});

/** Returns whether the run's row was written recently. The time to restore messages counts from the run's end. */
export function isRecentlyRecorded(run: RemovalRun): run is RecordedRun {
  const { id, recordedAt } = run;
  return (
    id !== undefined && recordedAt !== undefined && performance.now() - recordedAt < recordEveryMs
  );
}

/**
 * Inserts the row of a new run, or updates the end of a run that continues.
 * @returns the run for the next batch, valid once the transaction has committed
 */
export async function recordRun(tx: Tx, run: RemovalRun): Promise<RecordedRun> {
  const values = [run.id ?? null, run.realmId, run.channelId, run.cause, run.actorId];
  const row = await tx.first(record, values);
  if (!row) throw new Error("the row of a removal run was not written");
  return { ...run, id: row.id, recordedAt: performance.now() };
}
