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
  type SettledCall,
  type Verdict,
} from "@carillon/domain";
import { callJob, callWebhook, type CallWebhook } from "@carillon/jobs";

import { leaveWhenLong, noteAnswer, postToEndpoint, settlingMs } from "../endpoint-calls.ts";
import { processor, type JobContext } from "../processor.ts";

type Context = JobContext<CallWebhook>;

/**
 * Milliseconds for which a job makes further ready calls of the organization: a new job for each would cost as much as the
 * call.
 */
const continuedMs = 5_000;

/** Ready calls to read when a slot is free: several, because other jobs may claim the first ones meanwhile. */
const candidates = 8;

/** Calls the endpoint of an outgoing webhook bot, with no transaction open meanwhile (bot-platform.md §2.4). */
export default processor(callWebhook, (context) => leaveWhenLong(call(context)));

async function call(context: Context): Promise<void> {
  const { db } = context.services;
  const endsAt = performance.now() + continuedMs;
  let claimed = await claim(context, context.payload);
  while (claimed) {
    const last = await makeCallsOfBot(context, claimed, endsAt);
    if (!last) return;
    const { realmId, botId: lastBotId } = last;
    const ready = await readyCalls(db, { realmId, lastBotId, limit: candidates });
    const goesOn = performance.now() < endsAt && !context.signal.aborted;
    // Adds a job for another call, which any worker with a free slot may run.
    const other = ready.splice(goesOn ? 1 : 0, 1);
    await publish(context, other, `after-${last.callId}-${last.call}`);
    claimed = goesOn ? await claimOneOf(context, ready) : undefined;
  }
}

/** Claims a call. @returns undefined if the call may not be made now */
function claim(
  { services: { db, outgoing } }: Context,
  wanted: CallWebhook,
): Promise<ClaimedCall | undefined> {
  return db.transaction((tx) => claimCall(tx, wanted, outgoing.timeoutMs + settlingMs));
}

/** Claims the first call that no other worker has claimed. */
async function claimOneOf(
  context: Context,
  ready: readonly CallWebhook[],
): Promise<ClaimedCall | undefined> {
  for (const one of ready) {
    const claimed = await claim(context, one);
    if (claimed) return claimed;
  }
  return undefined;
}

/**
 * Makes a call, and then further ready calls of its bot in the same slot. Stops when the bot has none, when another bot
 * with the same endpoint has one, after a call without an answer, or at `endsAt`.
 * @returns the last call; undefined if it was interrupted
 */
async function makeCallsOfBot(
  context: Context,
  first: ClaimedCall,
  endsAt: number,
): Promise<ClaimedCall | undefined> {
  let claimed = first;
  for (;;) {
    const settled = await makeCall(context, claimed, endsAt);
    if (!settled?.next) return settled && claimed;
    if (settled.next.isSlotFree) await addJobBeside(context, claimed);
    claimed = settled.next;
  }
}

/** Adds a job that makes a ready call of the organization in another slot. */
async function addJobBeside(
  context: Context,
  { realmId, callId, call: number }: ClaimedCall,
): Promise<void> {
  const ready = await readyCalls(context.services.db, { realmId, limit: 1 });
  await publish(context, ready, `beside-${callId}-${number}`);
}

/**
 * Makes a call and stores its answer.
 * @param endsAt time until which the transaction of the answer also claims the bot's next ready call
 * @returns undefined if it was interrupted
 */
async function makeCall(
  context: Context,
  claimed: ClaimedCall,
  endsAt: number,
): Promise<SettledCall | undefined> {
  const { services, signal } = context;
  const { db, site, outgoing } = services;
  const client = await answeringClient(db);
  const settle = async (
    verdict: Verdict | "ended",
    attempt?: MadeAttempt,
    { canGoOn = true }: { readonly canGoOn?: boolean } = {},
  ) => {
    const goesOn = canGoOn && performance.now() < endsAt && !signal.aborted;
    const nextForMs = goesOn ? outgoing.timeoutMs + settlingMs : undefined;
    const settled = await db.transaction((tx) =>
      settleCall(tx, site, client, claimed, verdict, attempt, nextForMs),
    );
    const seconds = (attempt?.durationMs ?? 0) / 1_000;
    services.onCall?.({ kind: "webhook", outcome: settled.outcome, seconds });
    return settled;
  };
  if (claimed.isOverflowed) {
    const reason = claimed.reason ?? "too many messages wait for the endpoint";
    // An overflowed call has no slot for the next one.
    return settle({ kind: "failed", reason }, undefined, { canGoOn: false });
  }
  const prepared = await db.transaction((tx) => prepareCall(tx, site, claimed), {
    mode: "repeatable read read only",
  });
  if (prepared === "ended" || "kind" in prepared) return settle(prepared);
  const { url, headers, body } = prepared;
  const made = await postToEndpoint(context, { url, headers, body, maxBytes: maxAnswerBytes });
  if (!made) {
    // The process ends: another worker calls at once.
    await returnCall(db, claimed);
    return undefined;
  }
  const isTrialLost = await noteAnswer(context, claimed, made.outcome);
  const verdict = readAnswer(made.outcome, prepared.format);
  // After a call without an answer, the circuit breaker decides about the next one.
  const canGoOn = made.outcome.kind !== "lost";
  const settled = await settle(verdict, made.attempt, { canGoOn });
  if (isTrialLost) {
    const given = await giveUpOldCalls(db, claimed);
    await publish(context, given, `given-up-${claimed.callId}`);
  }
  return settled;
}

/** Adds jobs of waiting calls. */
async function publish(
  { log, services: { queues } }: Context,
  calls: readonly CallWebhook[],
  reason: string,
): Promise<void> {
  if (calls.length === 0) return;
  await queues
    .publish(calls.map((one) => callJob(one, reason)))
    .catch((error: unknown) =>
      log.warn({ err: error }, "waiting calls did not reach the queue; the relay adds them"),
    );
}
