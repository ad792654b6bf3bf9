import { packed, statement, type RowOf, type Tx } from "@carillon/db";
import { pending, recordBatch } from "@carillon/scheduling";
import { processName } from "@carillon/kit";

import type { DueRow } from "./due-row.ts";
import type { RunOutcome } from "./series/runs.ts";
import { storeWithheld, type Withheld } from "./withheld.ts";

/** A due row that will never be sent. */
export interface Failure {
  readonly row: DueRow;
  readonly kind: "failed";
  readonly reason: string;
  /**
   * The reason as a label for metrics: the code of the error, `late`, `REALM_DEACTIVATED`, `deactivated`, `stuck` or
   * `broken`.
   */
  readonly cause: string;
  /** Whether the sender gets no notice. */
  readonly silent: boolean;
}

/** A due row that will never be sent, and that could not be read. Its sender gets no notice. */
export interface UnreadFailure extends Omit<Failure, "row"> {
  readonly row: UnreadRow;
  readonly runs?: undefined;
}

/** The outcome of a due row. */
export type Outcome = (
  | { readonly row: DueRow; readonly kind: "sent"; readonly messageId: number }
  /** Its message, or the message of its occurrence, was sent earlier. */
  | { readonly row: DueRow; readonly kind: "sent-before" }
  | Withheld
  | Failure
) & {
  /** For an occurrence of a series: its own outcome first, then the outcome of each occurrence missed after it. */
  readonly runs?: readonly RunOutcome[];
};

const markSent = statement({
  name: "deliver-mark-sent",
  text: `UPDATE scheduled_messages s SET delivered = true, delivered_message_id = o.message_id,
      ended_at = clock_timestamp(), ended_by = $3
    FROM unnest($1::bigint[], $2::bigint[]) AS o (id, message_id) WHERE s.id = o.id`,
});

/** Sets no message for an occurrence that was sent from another row: that message belongs to the other row. */
const markSentBefore = statement({
  name: "scheduled-already-delivered",
  text: `UPDATE scheduled_messages s SET delivered = true,
      delivered_message_id = (SELECT m.id FROM messages m WHERE m.scheduled_message_id = s.id)
    WHERE s.id = ANY($1::bigint[])`,
});

const markFailed = statement({
  name: "scheduled-failed",
  text: `UPDATE scheduled_messages s SET failed = true, detached = s.series_id IS NOT NULL, failure_message = o.reason,
      ended_at = clock_timestamp(), ended_by = $3
    FROM unnest($1::bigint[], $2::text[]) AS o (id, reason) WHERE s.id = o.id`,
});

/** Does not read the text, which may be what cannot be read: an UPDATE copies the reference to a text stored out of line. */
const markFailedUnread = statement({
  name: "scheduled-failed-unread",
  text: `UPDATE scheduled_messages s SET failed = true, detached = s.series_id IS NOT NULL, failure_message = $3,
      ended_at = clock_timestamp(), ended_by = $4
    WHERE s.realm_id = $1 AND s.id = $2 AND ${pending("s")}
    RETURNING s.id, s.version, s.kind, s.sender_id AS "senderId", s.channel_id AS "channelId",
      extract(epoch FROM s.deliver_at)::float8 AS "deliverAt"`,
});

/** The columns of a row by which its failure is recorded. Its text is not among them. */
export type UnreadRow = RowOf<typeof markFailedUnread>;

/**
 * Marks a row as failed without reading its text.
 * @returns the columns by which the failure is recorded; undefined if the row has ended
 */
export async function storeFailedUnread(
  tx: Tx,
  realmId: number,
  id: number,
  reason: string,
): Promise<UnreadRow | undefined> {
  const lock = { name: "scheduled", keys: [id] } as const;
  const [row] = await tx.lock(lock, markFailedUnread, [realmId, id, reason, processName]);
  return row;
}

/** Marks rows as sent. The transaction has locked them, so this never waits. */
export async function storeSent(tx: Tx, outcomes: readonly Outcome[]): Promise<void> {
  const sent = outcomes.filter((outcome) => outcome.kind === "sent");
  if (sent.length === 0) return;
  await tx.rows(markSent, [
    packed.bigints(sent.map(({ row }) => row.id)),
    packed.bigints(sent.map(({ messageId }) => messageId)),
    processName,
  ]);
}

/** Marks rows as failed, with the COMMIT. */
function storeFailed(tx: Tx, failed: readonly Failure[]): void {
  if (failed.length === 0) return;
  tx.sendWithCommit(markFailed, [
    failed.map(({ row }) => row.id),
    failed.map(({ reason }) => reason),
    processName,
  ]);
}

/**
 * Writes, with the COMMIT, the outcomes of rows that failed, were withheld or had been sent before, and the batch's row of
 * the delivery history.
 * @param backend where the queues are, for the delivery history
 */
export function storeOutcomes(tx: Tx, outcomes: readonly Outcome[], backend: string): void {
  const before = outcomes.filter((outcome) => outcome.kind === "sent-before");
  if (before.length > 0) {
    tx.sendWithCommit(markSentBefore, [before.map(({ row }) => row.id)]);
  }
  const failed = outcomes.filter((outcome) => outcome.kind === "failed");
  storeFailed(tx, failed);
  storeWithheld(
    tx,
    outcomes.filter((outcome) => outcome.kind === "withheld"),
  );
  const sent = outcomes.filter((outcome) => outcome.kind === "sent");
  recordBatch(tx, { backend, dueAt: sent.map(({ row }) => row.deliverAt), failed: failed.length });
}
