import {
  eventRequest,
  logAttempt,
  maxEventAnswerBytes,
  readDestination,
  reasonOf,
  releaseSlot,
  takeSlot,
} from "@carillon/domain";
import { pingSubscription } from "@carillon/jobs";
import { systemClock } from "@carillon/kit";

import { noteAnswer, postToEndpoint, settlingMs, type MadeCall } from "../endpoint-calls.ts";
import { callProcessor } from "../intent-processor.ts";

/** Milliseconds that a ping may take: less than the deadline of its job. */
const maxPingMs = 18_000;

/** Sends a ping to the URL of an event subscription and logs the answer (bot-platform.md §3). */
export default callProcessor(pingSubscription, async (db, { id, realmId, payload }, services) => {
  const { subscriptionId } = payload;
  const to = await readDestination(db, subscriptionId);
  if (!to) return;
  const endpoint = { realmId, origin: to.origin };
  const slot = await db.transaction((tx) =>
    takeSlot(tx, endpoint, services.outgoing.timeoutMs + settlingMs),
  );
  // The queue retries the job later.
  if (!slot) throw new Error("too many calls are in progress, or the endpoint does not answer");
  try {
    const webhookId = `ping_${id}`;
    const of = { subscriptionId, botId: to.botId, realmId };
    const request = eventRequest(services.site, of, to, { webhookId });
    const at = systemClock.now();
    const signal = AbortSignal.any([services.signal, AbortSignal.timeout(maxPingMs)]);
    const context = { services, log: services.log, signal };
    const made =
      (await postToEndpoint(context, { ...request, maxBytes: maxEventAnswerBytes })) ??
      lostCall(services.signal, at);
    await noteAnswer(context, { ...endpoint, ...slot }, made.outcome);
    const reason = reasonOf(made.outcome);
    const outcome = reason === undefined ? "done" : "failed";
    services.onCall?.({ kind: "ping", outcome, seconds: made.attempt.durationMs / 1_000 });
    const attempt = { ...made.attempt, number: 1 };
    return (tx) => logAttempt(tx, of, { webhookId }, attempt, reason, true);
  } finally {
    await releaseSlot(services.db, slot.slotId);
  }
});

/**
 * Returns the outcome of a call that took longer than a ping may take.
 * @param at when it began, in UNIX milliseconds
 * @throws the reason if the job itself has to stop
 */
function lostCall(signal: AbortSignal, at: number): MadeCall {
  signal.throwIfAborted();
  return {
    outcome: { kind: "lost", reason: `no complete answer within ${maxPingMs / 1_000} s` },
    attempt: { at, durationMs: systemClock.now() - at, responseHead: "" },
  };
}
