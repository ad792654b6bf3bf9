import { column, statement, type Tx } from "@carillon/db";

/**
 * Why messages are removed: their channel keeps them no longer, an administrator deletes their topic, somebody deletes the
 * one, what a notice tells was taken back at once, or their sender was deactivated.
 */
export type RemovalCause = "retention" | "topic" | "message" | "taken-back" | "deactivation";

/** One run of removing messages, in as many batches as it takes. */
export interface RemovalRun {
  readonly realmId: number;
  /** The one channel that they are of; null for direct messages, and for those of several channels. */
  readonly channelId: number | null;
  readonly cause: RemovalCause;
  /** Who wanted it; null where nobody did but the clock. */
  readonly actorId: number | null;
  /** Of its row, once a batch of it has committed. */
  readonly id?: number | undefined;
  /** When the row was written last, in this process's milliseconds. */
  readonly notedAt?: number | undefined;
}

/** A run with a row. */
export interface NotedRun extends RemovalRun {
  readonly id: number;
}

/** After so many milliseconds its row is written again. */
const noteEvery = 60_000;

const note = statement({
  name: "removal-note",
  text: `INSERT INTO message_removals (id, realm_id, channel_id, cause, actor_id)
    VALUES (coalesce($1::bigint, nextval('message_removals_id_seq')), $2, $3, $4, $5)
    ON CONFLICT (id) DO UPDATE SET ended_at = now() RETURNING id`,
  row: { id: column.bigint },
});

/** Whether a run goes on that was noted a while ago. What it has removed can be brought back for so long after its end. */
export function isNoted(run: RemovalRun): run is NotedRun {
  const { id, notedAt } = run;
  return id !== undefined && notedAt !== undefined && performance.now() - notedAt < noteEvery;
}

/** Notes that the run goes on now. @returns the run, to be gone on with once the transaction has committed */
export async function noteRemoval(tx: Tx, run: RemovalRun): Promise<NotedRun> {
  const values = [run.id ?? null, run.realmId, run.channelId, run.cause, run.actorId];
  const row = await tx.first(note, values);
  if (!row) throw new Error("a statement without a row");
  return { ...run, id: row.id, notedAt: performance.now() };
}
