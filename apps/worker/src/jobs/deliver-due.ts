import { type Outcome, type UnreadFailure, deliverAll, deliveryBatch } from "@carillon/domain";
import {
  batchesPerJob,
  batchesWithoutLongRun,
  bytesAtFirst,
  continuation,
  deliverDue,
  isContinuation,
  type DeliverDue,
  type Publication,
} from "@carillon/jobs";

import { processor } from "../processor.ts";
import type { WorkerServices } from "../services.ts";

/** Sends the due messages of one organization (scheduled-messages.md §5). */
export default processor(deliverDue, async ({ payload, again, deadline, log, ...context }) => {
  const { signal, services } = context;
  const { db, queues, site, longRuns, hasDeliveryJob } = services;
  const { realmId, second } = payload;
  const continues = isContinuation(payload);
  const run = {};
  const { more, elsewhere, now } = await deliverAll(
    { db: db.within(deadline), site, log, backend: queues.backend, signal, hasDeliveryJob },
    realmId,
    {
      maxBatches: batchesPerJob,
      canContinue: (batches, bytes) =>
        (batches < batchesWithoutLongRun && bytes < bytesAtFirst) ||
        !longRuns ||
        longRuns.tryAcquire(run),
      ...(continues ? { firstBatch: deliveryBatch } : { firstBytes: bytesAtFirst }),
      // A job with a tick that is not a continuation comes from the sweep or from `checkAgain`: a worker may have died
      // while it delivered these rows.
      careful: again || (payload.tick !== undefined && !continues),
      onBatch: (outcomes) => report(services, outcomes),
    },
  ).finally(() => longRuns?.release(run));
  const tick = Math.floor(now * 1_000);
  if (more) {
    const job = { job: deliverDue, payload: continuation(realmId, tick), yields: true };
    await queues.publish([job]);
  } else if (elsewhere) {
    await queues.publish([checkAgain(realmId, now)]);
  } else if (second > now) {
    // This machine's clock is ahead of the database's: run again when the database's has caught up.
    const delayMs = (second - now) * 1_000;
    await queues.publish([{ job: deliverDue, payload: { realmId, second, tick }, delayMs }]);
  }
});

/** Length in seconds of the interval within which jobs share one {@link checkAgain}. */
const checkAgainSeconds = 3;

/**
 * Returns a job that checks an organization again, for a worker that finds its delivery lock taken. Jobs that find the lock
 * taken within the same three seconds publish the same id, so that only one job is added, due three to six seconds later.
 * The delay exceeds the difference between the clocks of two machines, because BullMQ would drop the job if a job with the
 * same id were still running.
 */
function checkAgain(realmId: number, now: number): Publication<DeliverDue> {
  const interval = Math.floor(now / checkAgainSeconds) * checkAgainSeconds;
  const at = interval + 2 * checkAgainSeconds;
  return {
    job: deliverDue,
    payload: { realmId, second: interval, tick: at * 1_000 },
    delayMs: (at - now) * 1_000,
  };
}

function report(
  { log, onDelivery }: WorkerServices,
  outcomes: ReadonlyArray<Outcome | UnreadFailure>,
): void {
  const first = outcomes[0];
  if (!first) return;
  const sent = outcomes.filter(({ kind }) => kind === "sent");
  const failed = outcomes.filter((outcome) => outcome.kind === "failed");
  const withheld = outcomes.filter((outcome) => outcome.kind === "withheld");
  const now = Date.now() / 1_000;
  onDelivery?.({
    sent: sent.length,
    failures: failed.map(({ cause }) => cause),
    withheld: withheld.map(({ condition }) => condition.kind),
    occurrences: outcomes.flatMap(({ kind, runs = [] }) => (kind === "sent-before" ? [] : runs)),
    latenessSeconds: sent.map(({ row }) => now - row.deliverAt),
  });
  log.info(
    {
      sent: sent.length,
      failed: failed.map(({ row }) => row.id),
      ...(withheld.length > 0 ? { withheld: withheld.map(({ row }) => row.id) } : {}),
      firstId: first.row.id,
      lastId: outcomes.at(-1)?.row.id,
      latenessSeconds: Math.round((now - first.row.deliverAt) * 1_000) / 1_000,
    },
    "delivered scheduled messages",
  );
}
