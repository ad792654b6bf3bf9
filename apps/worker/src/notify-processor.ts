import {
  beginIntentCall,
  doIntent,
  finishIntent,
  recordIntents,
  type CallingIntent,
  type ClaimedIntent,
} from "@carillon/outbox";
import type { Tx } from "@carillon/db";
import {
  applyNotifyOutcome,
  refusesOrganization,
  type Notification,
  type NotifiedAccounts,
  type PreparedCall,
} from "@carillon/domain";
import { GiveUp, type IntentDefinition, type IntentRef } from "@carillon/jobs";
import type { Site } from "@carillon/model";
import {
  encryptPayload,
  type NotifyAnswer,
  type NotificationType,
  pushRequestFor,
  type PushRequest,
} from "@carillon/push";

import type { Bouncer, BouncerReply } from "./bouncer.ts";
import { recordingFailure } from "./intent-processor.ts";
import { ofOldestDevices } from "./split-notifications.ts";
import { processor, type JobContext, type Processor } from "./processor.ts";

/** How a job prepares the notifications of its call, and what it does after the answer. */
export interface NotifyWork<Payload> {
  readonly type: NotificationType;
  /** Returns the payloads of the intents that replace one with too many devices for one call; undefined otherwise. */
  split(this: void, payload: Payload, call: PreparedCall): Payload[] | undefined;
  /** Runs in a transaction that commits before the call. The notifications are stored in no job and no row. */
  prepare(this: void, tx: Tx, site: Site, intent: ClaimedIntent<Payload>): Promise<PreparedCall>;
  /** Runs in the transaction that ends the intent, after the bouncer's answer. */
  settle?(this: void, tx: Tx, intent: CallingIntent<Payload>, call: PreparedCall): Promise<void>;
}

/**
 * Makes the processor of a job that notifies devices by one call to the bouncer for each intent (push.md §9). If accounts
 * have very many devices it splits the intent instead, but never one whose call may have gone out: its parts would have
 * other idempotency keys. The call's key is that of the job, so that a worker that dies between the call and the end of the
 * intent notifies no device twice. Without a push service it calls nothing.
 */
export function notifyProcessor<Payload>(
  definition: IntentDefinition<Payload>,
  work: NotifyWork<Payload>,
): Processor<IntentRef> {
  return processor(definition, (context) =>
    recordingFailure(definition, context, async (db) => {
      const { payload: ref, services } = context;
      const { bouncer, site } = services;
      if (!bouncer) return doIntent(db, definition, ref, () => Promise.resolve());
      const begun = await db.transaction((tx) => begin(tx, site, definition, ref, work));
      if (!begun) return;
      const { intent, call } = begun;
      const outcome = await callBouncer(bouncer, definition, context, work.type, call);
      await doIntent(db, definition, ref, async (tx) => {
        if (outcome) await applyNotifyOutcome(tx, notified(intent, call), outcome);
        await work.settle?.(tx, intent, call);
      });
    }),
  );
}

/**
 * Characters of an encrypted payload that FCM and APNs accept. A direct message to hundreds has more, since it names
 * them all, and a bouncer might reject the whole call for it.
 */
const maxPayload = 4_096;

/**
 * Age in milliseconds after which a notification is no longer sent (push.md §9). The number of attempts does not limit it,
 * because none are counted while the circuit breaker is open or the rate limit is reached. It is well below the day for
 * which a bouncer remembers idempotency keys.
 */
const giveUpAfterMs = 2 * 3_600_000;

/** An intent whose call goes out next. */
interface Begun<Payload> {
  readonly intent: CallingIntent<Payload>;
  readonly call: PreparedCall;
}

/**
 * Prepares the call, or ends the intent by splitting it.
 * @returns undefined when no call has to be made for this intent
 * @throws GiveUp when the bouncer has not accepted it in time
 */
async function begin<Payload>(
  tx: Tx,
  site: Site,
  definition: IntentDefinition<Payload>,
  ref: IntentRef,
  { prepare, split }: NotifyWork<Payload>,
): Promise<Begun<Payload> | undefined> {
  const intent = await beginIntentCall(tx, definition, ref);
  if (!intent) return undefined;
  if (intent.ageMs > giveUpAfterMs)
    throw new GiveUp("the push bouncer has not accepted it within two hours");
  const call = await prepare(tx, site, intent);
  if (intent.called)
    return { intent, call: { ...call, notifications: ofOldestDevices(call.notifications) } };
  const parts = split(intent.payload, call);
  if (!parts) return { intent, call };
  await finishIntent(tx, intent.id);
  await recordParts(tx, definition, intent, parts);
  return undefined;
}

/** Records the parts under keys that name the original intent, so that each is recorded once. */
async function recordParts<Payload>(
  tx: Tx,
  definition: IntentDefinition<Payload>,
  { id, realmId }: ClaimedIntent<Payload>,
  parts: readonly Payload[],
): Promise<void> {
  const intents = parts.map((payload, i) => ({ key: `part-${id}-${i}`, payload }));
  await recordIntents(tx, realmId, definition, intents);
}

function notified(
  { realmId }: ClaimedIntent<unknown>,
  { notifications }: PreparedCall,
): NotifiedAccounts {
  return { realmId, userIds: [...new Set(notifications.map(({ target }) => target.userId))] };
}

/**
 * Calls the bouncer.
 * @returns undefined when nothing is left to send
 * @throws GiveUp for a call that the bouncer will never accept, Error for one that it may accept later
 */
async function callBouncer(
  bouncer: Bouncer,
  definition: IntentDefinition,
  { payload: ref, log, signal }: JobContext<IntentRef>,
  type: NotificationType,
  { realmUuid, notifications }: PreparedCall,
): Promise<BouncerReply<NotifyAnswer> | undefined> {
  const requests = await encrypted(type, notifications);
  const push_requests = requests.filter((one) => one.payload.encrypted_data.length <= maxPayload);
  if (push_requests.length < requests.length)
    log.warn({ count: requests.length - push_requests.length }, "notifications are too large");
  if (push_requests.length === 0) return undefined;
  const body = { realm_uuid: realmUuid, push_requests };
  const outcome = await bouncer.notify(body, { signal, idempotencyKey: definition.key(ref) });
  if (outcome.kind === "adminActionRequired")
    log.error({ code: outcome.code }, "the push bouncer requires an action of an administrator");
  if (outcome.kind === "permanent") throw new GiveUp(outcome.reason);
  if (outcome.kind !== "done" && !refusesOrganization(outcome)) throw new Error(outcome.reason);
  return outcome;
}

/** Encrypts each notification for its device, with a separate nonce. */
async function encrypted(
  type: NotificationType,
  notifications: readonly Notification[],
): Promise<PushRequest[]> {
  const requests: PushRequest[] = [];
  for (const { target, payload } of notifications)
    requests.push(pushRequestFor(target, type, await encryptPayload(target.pushKey, payload)));
  return requests;
}
