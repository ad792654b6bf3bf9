import {
  acknowledgeAndGoOn,
  claimSubscription,
  eventRequest,
  forgetBatch,
  type MadeAttempt,
  maxEventAnswerBytes,
  newBatchId,
  readDestination,
  readPlace,
  readySubscriptions,
  reasonOf,
  returnSubscription,
  selectBatch,
  settleBatch,
  storeBatch,
  type ClaimedSubscription,
  type SentBatch,
  type SettledBatch,
  type SubscriptionDestination,
} from "@carillon/domain";
import { eventsJob, sendEvents, type SendEvents } from "@carillon/jobs";

import {
  leaveWhenLong,
  noteAnswer,
  postToEndpoint,
  settlingMs,
  type MadeCall,
} from "../endpoint-calls.ts";
import { processor, type JobContext } from "../processor.ts";

type Context = JobContext<SendEvents>;

/** Milliseconds for which one job sends batches of a subscription. Then others get its slot among the calls in progress. */
const maxSendingMs = 5_000;

/** Subscriptions of the organization whose jobs are added when one has ended. */
const woken = 3;

/** Days without a successful delivery after which a subscription is disabled, unless the configuration says otherwise. */
const usualDisableDays = 3;

/** Sends the events of a subscription to its URL, with no transaction open meanwhile (bot-platform.md §3). */
export default processor(sendEvents, (context) => leaveWhenLong(serve(context)));

async function serve(context: Context): Promise<void> {
  const { payload, services } = context;
  const { db, outgoing } = services;
  const claimed = await db.transaction((tx) =>
    claimSubscription(tx, payload, outgoing.timeoutMs + settlingMs),
  );
  if (!claimed) return;
  const settled = await sendBatches(context, claimed);
  const { subscriptionId, realmId, call } = claimed;
  if (settled?.delayMs !== undefined)
    await publish(context, [{ subscriptionId, calls: settled.calls, delayMs: settled.delayMs }]);
  const ready = await readySubscriptions(db, {
    realmIds: [realmId],
    first: subscriptionId,
    limit: woken,
  });
  await publish(context, ready, `after-${subscriptionId}-${call}`);
}

/**
 * Sends batches until there are no more events, one fails, or {@link maxSendingMs} have passed.
 * @returns how the last batch ended, and the number of calls; undefined if nothing was sent or the job was interrupted
 */
async function sendBatches(
  context: Context,
  claim: ClaimedSubscription,
): Promise<(SettledBatch & { readonly calls: number }) | undefined> {
  const { db } = context.services;
  const endsAt = performance.now() + maxSendingMs;
  let claimed = claim;
  const ahead = new ReadAhead((batch) => readNext(context, claimed, batch));
  try {
    let current = await beginBatch(context, claimed, endsAt);
    let to = current && (await readDestination(db, claimed.subscriptionId));
    // A subscription that was changed to another origin needs a slot of that one.
    while (current && to?.origin === claimed.origin) {
      const isLast = performance.now() > endsAt;
      const reading = isLast ? undefined : ahead.after(current);
      const [made, next] = await Promise.all([send(context, claimed, to, current), reading]);
      // Read the batch after the next one while the result of this one is stored.
      ahead.begin(next);
      if (!made) break;
      await noteAnswer(context, claimed, made.outcome);
      to = await goOn(context, claimed, current, made, next);
      if (!to)
        return { ...(await settle(context, claimed, current, made, next)), calls: claimed.call };
      claimed = { ...claimed, call: claimed.call + 1, failures: 0 };
      current = next;
    }
    await returnSubscription(db, claimed);
    return undefined;
  } catch (error) {
    // Lets another job claim it at once. If the database is unreachable, the claim has to expire first.
    await returnSubscription(db, claimed).catch(() => {});
    throw error;
  } finally {
    await ahead.ended();
  }
}

/** Reads the next batch while the endpoint is busy with the current one. If a read fails, there is no next batch. */
class ReadAhead {
  readonly #read: (batch: SentBatch) => Promise<SentBatch | undefined>;
  #reading: Promise<SentBatch | undefined> | undefined;

  constructor(read: (batch: SentBatch) => Promise<SentBatch | undefined>) {
    this.#read = (batch) => read(batch).catch(() => undefined);
  }

  /** Returns the batch after this one. Reads it, unless {@link begin} has begun to. */
  after(batch: SentBatch): Promise<SentBatch | undefined> {
    return (this.#reading ??= this.#read(batch));
  }

  /** Begins to read the batch after this one, if the log has more events. */
  begin(batch: SentBatch | undefined): void {
    const hasMore = batch !== undefined && batch.batch.reached < batch.batch.head;
    this.#reading = hasMore ? this.#read(batch) : undefined;
  }

  /** Resolves when the read that began last has ended. Does not wait for a read that {@link begin} has dropped. */
  async ended(): Promise<void> {
    await this.#reading;
  }
}

/** Returns the batch in progress, or begins a new one; undefined if there is nothing to send, or no time left. */
async function beginBatch(
  context: Context,
  claimed: ClaimedSubscription,
  endsAt: number,
): Promise<SentBatch | undefined> {
  const { db } = context.services;
  while (performance.now() < endsAt) {
    const place = await readPlace(db, claimed);
    if (!place) return undefined;
    const { cursor: after, batchTo: until, webhookId: known } = place;
    const batch = await select(context, claimed, { after, until: until ?? undefined });
    if (!batch) return undefined;
    if (known !== null && until !== null) {
      if (batch.from === after && batch.events.length > 0) return { webhookId: known, batch };
      // Its events have been deleted from the log, or the bot has lost access to all of them.
      await forgetBatch(db, claimed);
      continue;
    }
    const webhookId = newBatchId();
    const isStored = await db.transaction((tx) =>
      storeBatch(tx, claimed, { after, batch, webhookId }),
    );
    if (!isStored) return undefined;
    if (batch.events.length > 0) return { webhookId, batch };
    if (batch.reached >= batch.head) return undefined;
  }
  return undefined;
}

/** Reads the batch after the one in progress; undefined if events in between have been deleted from the log. */
async function readNext(
  context: Context,
  claimed: ClaimedSubscription,
  { batch: { reached } }: SentBatch,
): Promise<SentBatch | undefined> {
  const batch = await select(context, claimed, { after: reached });
  return batch?.from === reached ? { webhookId: newBatchId(), batch } : undefined;
}

function select(
  { log, services: { db, site } }: Context,
  claimed: ClaimedSubscription,
  range: { readonly after: number; readonly until?: number | undefined },
) {
  return db.transaction((tx) => selectBatch(tx, { site, log }, claimed, range), {
    mode: "repeatable read read only",
  });
}

/** Sends a batch; returns undefined if this process ends meanwhile. */
function send(
  context: Context,
  claimed: ClaimedSubscription,
  to: SubscriptionDestination,
  sent: SentBatch,
): Promise<MadeCall | undefined> {
  const request = eventRequest(context.services.site, claimed, to, sent);
  return postToEndpoint(context, { ...request, maxBytes: maxEventAnswerBytes });
}

/**
 * Stores a batch that was acknowledged, and begins the next one under the same claim.
 * @returns where the next one is sent; undefined if there is none, or the call must be settled
 */
async function goOn(
  { services }: Context,
  claimed: ClaimedSubscription,
  sent: SentBatch,
  { outcome, attempt }: MadeCall,
  next: SentBatch | undefined,
): Promise<SubscriptionDestination | undefined> {
  if (!next || next.batch.events.length === 0 || reasonOf(outcome) !== undefined) return undefined;
  const forMs = services.outgoing.timeoutMs + settlingMs;
  const to = await acknowledgeAndGoOn(services.db, claimed, sent, attempt, next, forMs);
  if (to) noteCall(services, "done", attempt);
  return to;
}

/** Stores what follows from a call, and ends the claim. */
async function settle(
  { services }: Context,
  claimed: ClaimedSubscription,
  sent: SentBatch,
  made: MadeCall,
  next: SentBatch | undefined,
): Promise<SettledBatch> {
  const disableDays = services.subscriptionDisableDays ?? usualDisableDays;
  const settled = await services.db.transaction((tx) =>
    settleBatch(tx, claimed, sent, made, next, disableDays),
  );
  noteCall(services, settled.outcome, made.attempt);
  return settled;
}

function noteCall(
  { onCall }: Context["services"],
  outcome: SettledBatch["outcome"],
  { durationMs }: MadeAttempt,
): void {
  onCall?.({ kind: "events", outcome, seconds: durationMs / 1_000 });
}

/** Adds jobs of subscriptions. */
async function publish(
  { log, services: { queues } }: Context,
  subscriptions: ReadonlyArray<SendEvents & { readonly delayMs?: number }>,
  reason?: string,
): Promise<void> {
  await queues
    .publish(subscriptions.map((one) => eventsJob(one, reason)))
    .catch((error: unknown) =>
      log.warn({ err: error }, "event subscriptions did not reach the queue; the relay adds them"),
    );
}
