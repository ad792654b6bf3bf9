import {
  answeringClient,
  claimCalls,
  type ClaimedCall,
  type ReadyCall,
  readyCalls,
} from "@carillon/domain";
import { callJob, callWebhook, type CallWebhook } from "@carillon/jobs";

import { makeGroup } from "../call-group.ts";
import { leaveWhenLong, settlingMs } from "../endpoint-calls.ts";
import { processor, type JobContext } from "../processor.ts";

type Context = JobContext<CallWebhook>;

/** Milliseconds for which a job makes ready calls of the organization after its own: a job for each takes as long as the call. */
const continuedMs = 5_000;

/** Ready calls that are read when calls have ended. Several jobs read at once, and each claims another one of them. */
const candidates = 8;

/** Calls the endpoints of outgoing webhook bots, with no transaction open meanwhile (bot-platform.md §2.4). */
export default processor(callWebhook, (context) => leaveWhenLong(call(context)));

async function call(context: Context): Promise<void> {
  const { db } = context.services;
  const end = performance.now() + continuedMs;
  let ended: ClaimedCall | undefined = await makeCalls(context, context.payload);
  while (ended) {
    const { realmId, botId, callId, call: number } = ended;
    const ready = await readyCalls(db, { realmId, limit: candidates });
    const goesOn = performance.now() < end && !context.signal.aborted;
    // Each job begins elsewhere in the list: jobs that end together would all claim the first call.
    const start = callId % Math.max(ready.length, 1);
    const order = [...ready.slice(start), ...ready.slice(0, start)];
    // A job for a call of another bot: a worker with a free slot takes it. This job goes on with those of one bot.
    const at = order.findIndex((one, i) => !goesOn || (i > 0 && one.botId !== botId));
    const other = at < 0 ? [] : order.splice(at, 1);
    await publish(context, other, `after-${callId}-${number}`);
    ended = goesOn ? await makeOneOf(context, order) : undefined;
  }
}

/** Makes the first call that no other worker has claimed, and other calls of its bot. */
async function makeOneOf(
  context: Context,
  ready: readonly ReadyCall[],
): Promise<ClaimedCall | undefined> {
  for (const one of ready) {
    const made = await makeCalls(context, one);
    if (made) return made;
  }
  return undefined;
}

/**
 * Makes a call and other ready calls of its bot, and stores their answers.
 * @returns the first of them; undefined if there was none to make
 */
async function makeCalls(
  context: Context,
  wanted: Pick<CallWebhook, "callId" | "version">,
): Promise<ClaimedCall | undefined> {
  const { db, outgoing } = context.services;
  const claimed = await db.transaction((tx) =>
    claimCalls(tx, wanted, outgoing.timeoutMs + settlingMs),
  );
  if (!claimed) return undefined;
  const { services, signal, log } = context;
  await makeGroup(
    {
      services,
      signal,
      log,
      client: await answeringClient(db),
      publish: (calls, reason) => publish(context, calls, reason),
      async onSettled({ realmId, callId, call: number }) {
        const ready = await readyCalls(db, { realmId, limit: 1 });
        await publish(context, ready, `beside-${callId}-${number}`);
      },
    },
    claimed,
  );
  return claimed.calls[0];
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
