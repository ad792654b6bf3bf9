import {
  doIntent,
  lookAtIntent,
  type ClaimedIntent,
  type Database,
  type SeenIntent,
  type Tx,
} from "@carillon/db";
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

/** How a job that calls the bouncer makes its notifications, and what it does with the answer. */
export interface NotifyWork<Payload> {
  readonly type: NotificationType;
  /** In a transaction that commits before the call; what is told is in no job, and in no row. */
  prepare(this: void, tx: Tx, site: Site, intent: ClaimedIntent<Payload>): Promise<PreparedCall>;
  /**
   * With the end of the intent, once the bouncer has answered.
   * @param again an earlier attempt may have told more
   */
  settle?(
    this: void,
    tx: Tx,
    intent: ClaimedIntent<Payload>,
    told: PreparedCall,
    again: boolean,
  ): Promise<void>;
}

/**
 * The processor of a job that has the bouncer tell devices something, by one call for the intent (push.md §9), or a few
 * where accounts have very many devices. A call's key is that of the job, so that a worker which dies between the call and
 * the end of the intent tells nobody twice. Without a push service nobody is told.
 */
export function notifyProcessor<Payload>(
  definition: IntentDefinition<Payload>,
  work: NotifyWork<Payload>,
): Processor<IntentRef> {
  return processor(definition, (context) =>
    noted(definition, context, async (db) => {
      const intent = await lookAtIntent(db, definition, context.payload);
      if (!intent) return;
      const told = await tell(definition, context, db, work, intent);
      await doIntent(db, definition, context.payload, async (tx) => {
        if (!told) return;
        for (const outcome of told.outcomes)
          await noteNotified(tx, notified(intent, told.call), outcome);
        await work.settle?.(tx, intent, told.call, context.attempt > 1);
      });
    }),
  );
}

/** Devices that are told by one call: an intent rarely has as many, and 20 ms go into encrypting for them. */
const mostInCall = 400;

/**
 * Characters of what is encrypted that FCM and APNs take at most. A direct message to hundreds has more, since it names
 * them all: with it a bouncer might refuse the call, and what else is in it.
 */
const mostTaken = 4_096;

/**
 * For so long what is to be told is tried, in milliseconds (push.md §9), whatever attempts are left: where the bouncer is
 * left alone, or has enough of us, none are counted. It is well below the day for which a bouncer knows a call again.
 */
const triedForMs = 2 * 3_600_000;

/** What was prepared, and what became of its calls; without any there was nothing to tell. */
interface Told {
  readonly call: PreparedCall;
  readonly outcomes: ReadonlyArray<BouncerReply<NotifyAnswer>>;
}

function notified({ realmId }: ClaimedIntent<unknown>, { notifications }: PreparedCall): Notified {
  return { realmId, userIds: [...new Set(notifications.map(({ target }) => target.userId))] };
}

/**
 * @returns what the bouncer was told; undefined where there is nobody to tell it
 * @throws GiveUp for what the bouncer will never take, Error for what it may take later
 */
async function tell<Payload>(
  definition: IntentDefinition<Payload>,
  { payload: ref, services, log, signal }: JobContext<IntentRef>,
  db: Database,
  { prepare, type }: NotifyWork<Payload>,
  intent: SeenIntent<Payload>,
): Promise<Told | undefined> {
  const { bouncer, site } = services;
  if (!bouncer) return undefined;
  if (intent.ageMs > triedForMs)
    throw new GiveUp("the push bouncer has not taken it within two hours");
  const call = await db.transaction((tx) => prepare(tx, site, intent));
  const outcomes: Array<BouncerReply<NotifyAnswer>> = [];
  for (let start = 0; start < call.notifications.length; start += mostInCall) {
    const part = call.notifications.slice(start, start + mostInCall);
    const requests = await encrypted(type, part);
    const push_requests = requests.filter((one) => one.payload.encrypted_data.length <= mostTaken);
    if (push_requests.length < requests.length)
      log.warn({ count: requests.length - push_requests.length }, "notifications are too large");
    if (push_requests.length === 0) continue;
    const body = { realm_uuid: call.realmUuid, push_requests };
    const idempotencyKey = definition.key(ref) + (start === 0 ? "" : `-from-${start}`);
    const outcome = await bouncer.notify(body, { signal, idempotencyKey });
    if (outcome.kind === "adminActionRequired")
      log.error({ code: outcome.code }, "the push bouncer wants something of an administrator");
    if (outcome.kind === "permanent") throw new GiveUp(outcome.reason);
    if (outcome.kind !== "done" && !refusesOrganization(outcome)) throw new Error(outcome.reason);
    outcomes.push(outcome);
  }
  return { call, outcomes };
}

/** A nonce of its own for each device: each has an encryption of its own. */
async function encrypted(
  type: NotificationType,
  notifications: readonly Notification[],
): Promise<PushRequest[]> {
  const requests: PushRequest[] = [];
  for (const { target, payload } of notifications)
    requests.push(pushRequestFor(target, type, await encryptPayload(target.pushKey, payload)));
  return requests;
}
