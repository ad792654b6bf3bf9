import { packed, statement, type Tx } from "@carillon/db";
import { recordBatch } from "@carillon/scheduling";
import { processName } from "@carillon/kit";

import type { DueRow } from "./claim.ts";

/** A due row that is not sent. */
export interface Failure {
  readonly row: DueRow;
  readonly kind: "failed";
  readonly reason: string;
  /** Why in a word, for counting: the code of the refusal, `late`, `deactivated` or `broken`. */
  readonly cause: string;
  /** Its sender is told nothing. */
  readonly silent: boolean;
}

/** What became of a due row. */
export type Outcome =
  | { readonly row: DueRow; readonly kind: "sent"; readonly messageId: number }
  /** Its message exists already. */
  | { readonly row: DueRow; readonly kind: "sent-before" }
  | Failure;

const markSent = statement({
  name: "deliver-mark-sent",
  text: `UPDATE scheduled_messages s SET delivered = true, delivered_message_id = o.message_id,
      ended_at = clock_timestamp(), ended_by = $3
    FROM unnest($1::bigint[], $2::bigint[]) AS o (id, message_id) WHERE s.id = o.id`,
  row: {},
});

const markDelivered = statement({
  name: "scheduled-already-delivered",
  text: `UPDATE scheduled_messages s SET delivered = true, delivered_message_id = m.id
    FROM messages m WHERE m.scheduled_message_id = s.id AND s.id = ANY($1::bigint[])`,
  row: {},
});

const markFailed = statement({
  name: "scheduled-failed",
  text: `UPDATE scheduled_messages s SET failed = true, failure_message = o.reason,
      ended_at = clock_timestamp(), ended_by = $3
    FROM unnest($1::bigint[], $2::text[]) AS o (id, reason) WHERE s.id = o.id`,
  row: {},
});

/** Marks the rows of those that are sent, which the transaction holds: it need not wait for the others. */
export async function storeSent(tx: Tx, outcomes: readonly Outcome[]): Promise<void> {
  const sent = outcomes.filter((outcome) => outcome.kind === "sent");
  if (sent.length === 0) return;
  await tx.rows(markSent, [
    packed.bigints(sent.map(({ row }) => row.id)),
    packed.bigints(sent.map(({ messageId }) => messageId)),
    processName,
  ]);
}

/** Fails rows with the commit, and does nothing else. */
export function storeFailed(tx: Tx, failed: readonly Failure[]): void {
  if (failed.length === 0) return;
  tx.sendWithCommit(markFailed, [
    failed.map(({ row }) => row.id),
    failed.map(({ reason }) => reason),
    processName,
  ]);
}

/**
 * Writes the other outcomes into their rows, and what the batch has come to for the history, with the commit.
 * @param backend where the queues are
 */
export function storeOutcomes(tx: Tx, outcomes: readonly Outcome[], backend: string): void {
  const before = outcomes.filter((outcome) => outcome.kind === "sent-before");
  if (before.length > 0) {
    tx.sendWithCommit(markDelivered, [before.map(({ row }) => row.id)]);
  }
  const failed = outcomes.filter((outcome) => outcome.kind === "failed");
  storeFailed(tx, failed);
  const sent = outcomes.filter((outcome) => outcome.kind === "sent");
  recordBatch(tx, { backend, dueAt: sent.map(({ row }) => row.deliverAt), failed: failed.length });
}
