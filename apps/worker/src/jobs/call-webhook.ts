import {
  answeringClient,
  claimCall,
  type ClaimedCall,
  giveUpOldCalls,
  maxAnswerBytes,
  type MadeAttempt,
  prepareCall,
  readAnswer,
  readyCalls,
  returnCall,
  settleCall,
  type Verdict,
} from "@carillon/domain";
import { callJob, callWebhook, type CallWebhook } from "@carillon/jobs";

import { leaveWhenLong, noteAnswer, postToEndpoint, settlingMs } from "../endpoint-calls.ts";
import { processor, type JobContext } from "../processor.ts";

/**
 * Milliseconds for which a job makes further ready calls of the organization: a new job for each would cost as much as the
 * call.
 */
const continuedMs = 5_000;

/** Ready calls that are read when a call has ended. Jobs that read the same calls at once each claim a different one. */
const candidates = 8;

/** Calls the endpoint of an outgoing webhook bot, with no transaction open meanwhile (bot-platform.md §2.4). */
export default processor(callWebhook, (context) => leaveWhenLong(call(context)));

async function call(context: JobContext<CallWebhook>): Promise<void> {
  const { db } = context.services;
  const end = performance.now() + continuedMs;
  let ended = await makeCall(context, context.payload);
  while (ended) {
    const ready = await readyCalls(db, { realmId: ended.realmId, limit: candidates });
    const goesOn = performance.now() < end && !context.signal.aborted;
    // Each job begins at another place in the list, because jobs that end together would all claim the first call.
    const start = ended.callId % Math.max(ready.length, 1);
    const order = [...ready.slice(start), ...ready.slice(0, start)];
    // Adds a job for another call, which any worker with a free slot may run.
    const other = order.splice(goesOn ? 1 : 0, 1);
    await publish(context, other, `after-${ended.callId}-${ended.call}`);
    ended = goesOn ? await makeOneOf(context, order) : undefined;
  }
}

/** Makes the first call that no other worker has claimed. */
async function makeOneOf(
  context: JobContext<CallWebhook>,
  ready: readonly CallWebhook[],
): Promise<ClaimedCall | undefined> {
  for (const one of ready) {
    const made = await makeCall(context, one);
    if (made) return made;
  }
  return undefined;
}

/** Makes a call and stores its answer. @returns the call; undefined if it could not be claimed or was interrupted */
async function makeCall(
  context: JobContext<CallWebhook>,
  wanted: CallWebhook,
): Promise<ClaimedCall | undefined> {
  const { services } = context;
  const { db, site, outgoing } = services;
  const claimed = await db.transaction((tx) =>
    claimCall(tx, wanted, outgoing.timeoutMs + settlingMs),
  );
  if (!claimed) return undefined;
  const client = await answeringClient(db);
  const settle = async (verdict: Verdict | "ended", attempt?: MadeAttempt) => {
    const settled = await db.transaction((tx) =>
      settleCall(tx, site, client, claimed, verdict, attempt),
    );
    const seconds = (attempt?.durationMs ?? 0) / 1_000;
    services.onCall?.({ kind: "webhook", outcome: settled.outcome, seconds });
    return claimed;
  };
  if (claimed.isOverflowed)
    return settle({
      kind: "failed",
      reason: claimed.reason ?? "too many messages wait for the endpoint",
    });
  const prepared = await db.transaction((tx) => prepareCall(tx, site, claimed), {
    mode: "repeatable read read only",
  });
  if (prepared === "ended" || "kind" in prepared) return settle(prepared);
  const { url, headers, body } = prepared;
  const request = { url, headers, body, maxBytes: maxAnswerBytes };
  const made = await postToEndpoint(context, request);
  if (!made) {
    // The process ends: another worker calls at once.
    await returnCall(db, claimed);
    return undefined;
  }
  const isTrialLost = await noteAnswer(context, claimed, made.outcome);
  await settle(readAnswer(made.outcome, prepared.format), made.attempt);
  if (isTrialLost) {
    const given = await giveUpOldCalls(db, claimed);
    await publish(context, given, `given-up-${claimed.callId}`);
  }
  return claimed;
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
