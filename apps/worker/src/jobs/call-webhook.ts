import { setTimeout as pause } from "node:timers/promises";

import {
  answeringClient,
  claimCall,
  giveUpOldCalls,
  isTrial,
  maxAnswerBytes,
  type MadeAttempt,
  prepareCall,
  type EndpointRequest,
  readAnswer,
  readyCalls,
  recordEndpointAnswered,
  recordEndpointUnanswered,
  returnCall,
  settleCall,
  type ClaimedCall,
  type Verdict,
} from "@carillon/domain";
import { callJob, callWebhook, type CallWebhook } from "@carillon/jobs";
import { systemClock } from "@carillon/kit";
import type { OutgoingOutcome } from "@carillon/outgoing";

import { processor, type JobContext } from "../processor.ts";

/** Milliseconds that preparing a call and storing its answer may take in addition to the call itself. */
const settlingMs = 15_000;

/** Milliseconds after which a job leaves a call that is in progress: less than the deadline of the job. */
const maxJobMs = 20_000;

/** Maximum ready calls whose jobs are added when a call has ended. */
const woken = 2;

/** Calls the endpoint of an outgoing webhook bot, with no transaction open meanwhile (bot-platform.md §2.4). */
export default processor(callWebhook, async (context) => {
  const calling = call(context);
  // A call may outlast its job. It then continues alone, and its row keeps other workers from making it.
  calling.catch(() => {});
  const left = new AbortController();
  await Promise.race([calling, pause(maxJobMs, undefined, { signal: left.signal })]).finally(() =>
    left.abort(),
  );
});

async function call(context: JobContext<CallWebhook>): Promise<void> {
  const { payload, services } = context;
  const { db, site, outgoing } = services;
  const claimed = await db.transaction((tx) =>
    claimCall(tx, payload, outgoing.timeoutMs + settlingMs),
  );
  if (!claimed) return;
  const client = await answeringClient(db);
  const settle = async (verdict: Verdict | "ended", attempt?: MadeAttempt) => {
    const settled = await db.transaction((tx) =>
      settleCall(tx, site, client, claimed, verdict, attempt),
    );
    services.onCall?.({ outcome: settled.outcome, seconds: (attempt?.durationMs ?? 0) / 1_000 });
  };
  if (claimed.isOverflowed)
    return settle({
      kind: "failed",
      reason: claimed.reason ?? "too many messages wait for the endpoint",
    });
  const prepared = await db.transaction((tx) => prepareCall(tx, site, claimed), {
    mode: "repeatable read read only",
  });
  if (prepared === "ended" || "kind" in prepared) await settle(prepared);
  else {
    const made = await send(context, prepared);
    if (!made) {
      // The process ends: another worker calls at once.
      return returnCall(db, claimed);
    }
    const isTrialLost = await noteAnswer(context, claimed, made.outcome);
    await settle(readAnswer(made.outcome, prepared.format), made.attempt);
    if (isTrialLost) {
      const given = await giveUpOldCalls(db, claimed);
      await publish(context, given, `given-up-${claimed.callId}`);
    }
  }
  const ready = await readyCalls(db, { realmId: claimed.realmId, limit: woken });
  await publish(context, ready, `after-${claimed.callId}-${claimed.call}`);
}

/** Adds jobs of waiting calls. */
async function publish(
  { log, services: { queues } }: JobContext<CallWebhook>,
  calls: readonly CallWebhook[],
  reason: string,
): Promise<void> {
  await queues
    .publish(calls.map((one) => callJob(one, reason)))
    .catch((error: unknown) =>
      log.warn({ err: error }, "waiting calls did not reach the queue; the relay adds them"),
    );
}

interface Made {
  readonly outcome: OutgoingOutcome;
  readonly attempt: MadeAttempt;
}

/** Makes the call; returns undefined if the job is told to stop meanwhile, because its process ends. */
async function send(
  { signal, services: { outgoing } }: JobContext<CallWebhook>,
  { url, headers, body }: EndpointRequest,
): Promise<Made | undefined> {
  const at = systemClock.now();
  const began = performance.now();
  const request = { url, headers, body, maxBytes: maxAnswerBytes, signal };
  const outcome = await outgoing.client.post(request).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (!outcome) return undefined;
  const durationMs = performance.now() - began;
  const status = "status" in outcome ? outcome.status : undefined;
  const responseHead =
    outcome.kind === "answered" ? outcome.body.subarray(0, 4_096).toString("utf8") : "";
  return { outcome, attempt: { at, durationMs, status, responseHead } };
}

/**
 * Records for the circuit breaker whether the endpoint answered.
 * @returns whether it failed to although its circuit was open before
 */
async function noteAnswer(
  { log, services: { db } }: JobContext<CallWebhook>,
  claimed: ClaimedCall,
  outcome: OutgoingOutcome,
): Promise<boolean> {
  if (outcome.kind === "lost") {
    const openMs = await recordEndpointUnanswered(db, claimed, claimed.failures);
    if (openMs > 0)
      log.warn(
        { realmId: claimed.realmId, origin: claimed.origin, openMs },
        "an endpoint does not answer; opened its circuit breaker",
      );
    return isTrial(claimed);
  }
  if (claimed.failures > 0) await recordEndpointAnswered(db, claimed);
  return false;
}
