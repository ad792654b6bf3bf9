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

/** How a job that calls the bouncer makes its notifications, and what it does with the answer. */
export interface NotifyWork<Payload> {
  readonly type: NotificationType;
  /** Makes intents of a part of the entries each, where one call cannot tell all. */
  split(this: void, payload: Payload, call: PreparedCall, again: boolean): Payload[] | undefined;
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
 * The processor of a job that has the bouncer tell devices something, by one call for the intent (push.md §9). Where
 * accounts have very many devices it makes several intents of it and calls nobody. A call's key is that of the job, so
 * that a worker which dies between the call and the end of the intent tells nobody twice. Without a push service nobody
 * is told.
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
        if (told.kind === "split") return recordParts(tx, definition, intent, told.parts);
        if (told.outcome) await noteNotified(tx, notified(intent, told.call), told.outcome);
        await work.settle?.(tx, intent, told.call, context.attempt > 1);
      });
    }),
  );
}

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

/** What was prepared, and what became of its call; without an outcome there was nothing to tell. */
interface Called {
  readonly kind: "called";
  readonly call: PreparedCall;
  readonly outcome: BouncerReply<NotifyAnswer> | undefined;
}

/** It is too much for one call. */
interface Split<Payload> {
  readonly kind: "split";
  readonly parts: readonly Payload[];
}

/** Their keys name the intent that they were a part of, so that they are written once. */
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
 * @returns what the bouncer was told; undefined where there is nobody to tell it
 * @throws GiveUp for what the bouncer will never take, Error for what it may take later
 */
async function tell<Payload>(
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
  const push_requests = requests.filter((one) => one.payload.encrypted_data.length <= mostTaken);
  if (push_requests.length < requests.length)
    log.warn({ count: requests.length - push_requests.length }, "notifications are too large");
  if (push_requests.length === 0) return { kind: "called", call, outcome: undefined };
  const body = { realm_uuid: call.realmUuid, push_requests };
  const outcome = await bouncer.notify(body, { signal, idempotencyKey: definition.key(ref) });
  if (outcome.kind === "adminActionRequired")
    log.error({ code: outcome.code }, "the push bouncer wants something of an administrator");
  if (outcome.kind === "permanent") throw new GiveUp(outcome.reason);
  if (outcome.kind !== "done" && !refusesOrganization(outcome)) throw new Error(outcome.reason);
  return { kind: "called", call, outcome };
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
