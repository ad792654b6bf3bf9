import {
  answeringClient,
  claimCall,
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

/** Maximum ready calls whose jobs are added when a call has ended. */
const woken = 2;

/** Calls the endpoint of an outgoing webhook bot, with no transaction open meanwhile (bot-platform.md §2.4). */
export default processor(callWebhook, (context) => leaveWhenLong(call(context)));

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
    const seconds = (attempt?.durationMs ?? 0) / 1_000;
    services.onCall?.({ kind: "webhook", outcome: settled.outcome, seconds });
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
    const { url, headers, body } = prepared;
    const request = { url, headers, body, maxBytes: maxAnswerBytes };
    const made = await postToEndpoint(context, request);
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
