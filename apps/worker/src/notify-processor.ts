import {
  doIntent,
  lookAtIntent,
  recordIntents,
  type ClaimedIntent,
  type SeenIntent,
} from "@carillon/outbox";
import type { Database, Tx } from "@carillon/db";
import {
  noteNotified,
  refusesOrganization,
  type Notification,
  type Notified,
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

import type { BouncerReply } from "./bouncer.ts";
import { noted } from "./intent-processor.ts";
import { processor, type JobContext, type Processor } from "./processor.ts";

/** How a job prepares the notifications of its call, and what it does after the answer. */
export interface NotifyWork<Payload> {
  readonly type: NotificationType;
  /** Splits an intent into payloads of several, where one call cannot take all devices. */
  split(this: void, payload: Payload, call: PreparedCall, again: boolean): Payload[] | undefined;
  /** Runs in a transaction that commits before the call. The notifications are stored in no job and no row. */
  prepare(this: void, tx: Tx, site: Site, intent: ClaimedIntent<Payload>): Promise<PreparedCall>;
  /**
   * Runs in the transaction that ends the intent, after the bouncer's answer.
   * @param again an earlier attempt may have notified more devices
   */
  settle?(
    this: void,
    tx: Tx,
    intent: ClaimedIntent<Payload>,
    call: PreparedCall,
    again: boolean,
  ): Promise<void>;
}

/**
 * Makes the processor of a job that notifies devices by one call to the bouncer for each intent (push.md §9). Where accounts
 * have very many devices it splits the intent instead. The call's idempotency key is that of the job, so that a worker that
 * dies between the call and the end of the intent notifies no device twice. Without a push service it calls nothing.
 */
export function notifyProcessor<Payload>(
  definition: IntentDefinition<Payload>,
  work: NotifyWork<Payload>,
): Processor<IntentRef> {
  return processor(definition, (context) =>
    noted(definition, context, async (db) => {
      const intent = await lookAtIntent(db, definition, context.payload);
      if (!intent) return;
      const result = await callBouncer(definition, context, db, work, intent);
      await doIntent(db, definition, context.payload, async (tx) => {
        if (!result) return;
        if (result.kind === "split") return recordParts(tx, definition, intent, result.parts);
        if (result.outcome) await noteNotified(tx, notified(intent, result.call), result.outcome);
        await work.settle?.(tx, intent, result.call, context.attempt > 1);
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
 * Milliseconds for which a notification is tried (push.md §9), whatever attempts are left: none are counted while the
 * circuit breaker is open or the rate limit holds. Well below the day for which a bouncer remembers idempotency keys.
 */
const triedForMs = 2 * 3_600_000;

/** A prepared call and its outcome; undefined where there was nothing to send. */
interface Called {
  readonly kind: "called";
  readonly call: PreparedCall;
  readonly outcome: BouncerReply<NotifyAnswer> | undefined;
}

/** The payloads of the intents into which one was split. */
interface Split<Payload> {
  readonly kind: "split";
  readonly parts: readonly Payload[];
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

function notified({ realmId }: ClaimedIntent<unknown>, { notifications }: PreparedCall): Notified {
  return { realmId, userIds: [...new Set(notifications.map(({ target }) => target.userId))] };
}

/**
 * Calls the bouncer.
 * @returns undefined without a push service
 * @throws GiveUp for a call that the bouncer will never accept, Error for one that it may accept later
 */
async function callBouncer<Payload>(
  definition: IntentDefinition<Payload>,
  { payload: ref, services, log, signal, attempt }: JobContext<IntentRef>,
  db: Database,
  { prepare, split, type }: NotifyWork<Payload>,
  intent: SeenIntent<Payload>,
): Promise<Called | Split<Payload> | undefined> {
  const { bouncer, site } = services;
  if (!bouncer) return undefined;
  if (intent.ageMs > triedForMs)
    throw new GiveUp("the push bouncer has not taken it within two hours");
  const call = await db.transaction((tx) => prepare(tx, site, intent));
  const parts = split(intent.payload, call, attempt > 1);
  if (parts) return { kind: "split", parts };
  const requests = await encrypted(type, call.notifications);
  const push_requests = requests.filter((one) => one.payload.encrypted_data.length <= maxPayload);
  if (push_requests.length < requests.length)
    log.warn({ count: requests.length - push_requests.length }, "notifications are too large");
  if (push_requests.length === 0) return { kind: "called", call, outcome: undefined };
  const body = { realm_uuid: call.realmUuid, push_requests };
  const outcome = await bouncer.notify(body, { signal, idempotencyKey: definition.key(ref) });
  if (outcome.kind === "adminActionRequired")
    log.error({ code: outcome.code }, "the push bouncer requires an action of an administrator");
  if (outcome.kind === "permanent") throw new GiveUp(outcome.reason);
  if (outcome.kind !== "done" && !refusesOrganization(outcome)) throw new Error(outcome.reason);
  return { kind: "called", call, outcome };
}

/** Encrypts each notification for its device, with a nonce of its own. */
async function encrypted(
  type: NotificationType,
  notifications: readonly Notification[],
): Promise<PushRequest[]> {
  const requests: PushRequest[] = [];
  for (const { target, payload } of notifications)
    requests.push(pushRequestFor(target, type, await encryptPayload(target.pushKey, payload)));
  return requests;
}
