import { type Outcome, deliverAll, deliveryBatch } from "@carillon/domain";
import {
  batchesAtFirst,
  batchesPerTurn,
  bytesAtFirst,
  continuation,
  deliverDue,
  isContinuation,
  type DeliverDue,
  type Publication,
} from "@carillon/jobs";

import { processor } from "../processor.ts";
import type { WorkerServices } from "../services.ts";

/** Sends what is due in one organization (scheduled-messages.md §5). */
export default processor(deliverDue, async ({ payload, again, lifetime, log, ...context }) => {
  const { signal, services } = context;
  const { db, queues, site, longTurns } = services;
  const { realmId, second } = payload;
  const goesOn = isContinuation(payload);
  const atLeast = goesOn ? 1 : batchesAtFirst;
  const turn = {};
  const { more, elsewhere, now } = await deliverAll(
    { db: db.within(lifetime), site, log, backend: queues.backend, signal },
    realmId,
    {
      maxBatches: batchesPerTurn,
      mayContinue: (batches, bytes) =>
        (batches < atLeast && bytes < bytesAtFirst) || !longTurns || longTurns.take(turn),
      ...(goesOn ? { firstBatch: deliveryBatch } : { firstBytes: bytesAtFirst }),
      // A job that has a tick and does not go on is of the sweep, or looks again: somebody may have died here.
      careful: again || (payload.tick !== undefined && !goesOn),
      onBatch: (outcomes) => report(services, outcomes),
    },
  ).finally(() => longTurns?.end(turn));
  const tick = Math.floor(now * 1_000);
  if (more) {
    const job = { job: deliverDue, payload: continuation(realmId, tick), yields: true };
    await queues.publish([job]);
  } else if (elsewhere) {
    await queues.publish([lookAgain(realmId, now)]);
  } else if (second > now) {
    // This machine's clock is ahead of the database's: come again when it is time there.
    const delayMs = (second - now) * 1_000;
    await queues.publish([{ job: deliverDue, payload: { realmId, second, tick }, delayMs }]);
  }
});

/** Between two looks at an organization that somebody else delivers, in seconds. */
const lookAgainSeconds = 3;

/**
 * The next look at an organization whose lock another deliverer has. All who meet it within the same three seconds
 * leave one job together, three to six seconds later: further ahead than the clocks of two machines are apart, for a
 * running job would swallow one with its own id.
 */
function lookAgain(realmId: number, now: number): Publication<DeliverDue> {
  const met = Math.floor(now / lookAgainSeconds) * lookAgainSeconds;
  const at = met + 2 * lookAgainSeconds;
  return {
    job: deliverDue,
    payload: { realmId, second: met, tick: at * 1_000 },
    delayMs: (at - now) * 1_000,
  };
}

function report({ log, onDelivery }: WorkerServices, outcomes: readonly Outcome[]): void {
  const first = outcomes[0];
  if (!first) return;
  const sent = outcomes.filter(({ kind }) => kind === "sent");
  const failed = outcomes.filter((outcome) => outcome.kind === "failed");
  const now = Date.now() / 1_000;
  onDelivery?.({
    sent: sent.length,
    failures: failed.map(({ cause }) => cause),
    latenessSeconds: sent.map(({ row }) => now - row.deliverAt),
  });
  log.info(
    {
      sent: sent.length,
      failed: failed.map(({ row }) => row.id),
      firstId: first.row.id,
      lastId: outcomes.at(-1)?.row.id,
      latenessSeconds: Math.round((now - first.row.deliverAt) * 1_000) / 1_000,
    },
    "delivered scheduled messages",
  );
}
