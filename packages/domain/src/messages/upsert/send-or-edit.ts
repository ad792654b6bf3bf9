import { ApiError } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import type { Site } from "@carillon/model";

import { rejected, type BatchContext, type BatchOutcome } from "../../batches/batch-outcome.ts";
import {
  resolveDestinations,
  sendBatch,
  type SendRequest,
  sendToDestinations,
  type Upsert,
} from "../send/send-batch.ts";
import type { SentMessage } from "../send/send.ts";
import {
  bind,
  type Binding,
  findBindings,
  lockNumber,
  lockUpsert,
  tryLockUpserts,
  type UpsertKey,
  useBinding,
} from "./bindings.ts";
import { editBound } from "./edit-bound.ts";

type Outcome = BatchOutcome<SentMessage>;

/** A request with an upsert key whose destination is known. */
interface Keyed extends UpsertKey {
  /** Its index among the requests of the batch. */
  readonly at: number;
  readonly request: SendRequest;
  readonly upsert: Upsert;
  /** The number of the key's advisory lock. */
  readonly number: number;
}

/**
 * Sends messages of one organization (scheduled-messages.md §6). A request with an upsert key edits the message that the
 * key is bound to, or sends one and binds it (once-and-again.md §2). Messages for unbound keys share the transaction;
 * a request whose key is bound, or in use by another transaction or an earlier request, is serialized.
 */
export async function sendOrEditBatch(
  tx: Tx,
  site: Site,
  requests: readonly SendRequest[],
  context: BatchContext,
): Promise<Outcome[]> {
  if (requests.every(({ input }) => !input.upsert)) return sendBatch(tx, site, requests, context);
  const destinations = await resolveDestinations(tx, requests);
  const keyed = requests.flatMap((request, at): Keyed[] => {
    const destination = destinations[at]!;
    const { upsert } = request.input;
    if (!upsert || destination instanceof ApiError) return [];
    const key = { senderId: request.actor.id, destination, key: upsert.key };
    return [{ at, request, upsert, number: lockNumber(key), ...key }];
  });
  const decided = context.canBlock
    ? await decideSingle(tx, site, keyed)
    : await decideInBatch(tx, keyed, context);
  const isLeft = (_: unknown, at: number) => !decided.has(at);
  const sent = await sendToDestinations(
    tx,
    site,
    requests.filter(isLeft),
    destinations.filter(isLeft),
    context,
  );
  let next = 0;
  const outcomes = requests.map((_, at) => decided.get(at) ?? sent[next++]!);
  return bindSent(tx, keyed, decided, outcomes);
}

/**
 * Serializes requests that may have to edit a message. Leaves a request undecided if its key was locked here and is bound
 * to no message: that request sends one.
 */
async function decideInBatch(
  tx: Tx,
  keyed: readonly Keyed[],
  context: BatchContext,
): Promise<Map<number, Outcome>> {
  const decided = new Map<number, Outcome>();
  const numbers = new Set<number>();
  const free = keyed.filter((each) => {
    const isFree = !numbers.has(each.number) && !context.isSerialized(serialKey(each));
    if (isFree) numbers.add(each.number);
    else decided.set(each.at, serialize(each));
    return isFree;
  });
  // The bindings are read in a statement after the one that takes the locks, so that it sees what the last holders of the
  // locks have committed.
  const [missed, bindings] = await Promise.all([
    tryLockUpserts(tx, [...numbers]),
    findBindings(tx, keyed[0]?.request.actor.realmId ?? 0, free),
  ]);
  for (const [i, each] of free.entries())
    if (missed.has(each.number) || bindings[i]) decided.set(each.at, serialize(each));
  return decided;
}

/** Edits the message of a bound key. Leaves a request undecided that has to send a message. */
async function decideSingle(
  tx: Tx,
  site: Site,
  [only]: readonly Keyed[],
): Promise<Map<number, Outcome>> {
  const decided = new Map<number, Outcome>();
  if (!only) return decided;
  await lockUpsert(tx, only.number);
  const [binding] = await findBindings(tx, only.request.actor.realmId, [only]);
  const outcome = binding && (await applyTo(tx, site, only, binding));
  if (outcome) decided.set(only.at, outcome);
  return decided;
}

/** Returns undefined where the bound message cannot be edited, so that another one is sent. */
async function applyTo(
  tx: Tx,
  site: Site,
  keyed: Keyed,
  binding: Binding,
): Promise<Outcome | undefined> {
  const { actor, input } = keyed.request;
  const { version } = keyed.upsert;
  const { messageId: id } = binding;
  if (version !== undefined && binding.version !== null && version <= binding.version)
    return { kind: "committed", result: { id, upsertResult: "stale" } };
  try {
    const upsertResult = await editBound(tx, site, actor, id, input.content);
    if (!upsertResult) return undefined;
    useBinding(tx, keyed, binding, version);
    return { kind: "committed", result: { id, upsertResult } };
  } catch (error) {
    if (error instanceof ApiError) return rejected(error);
    throw error;
  }
}

/** Binds the keys to the messages that were sent for them, and returns the outcomes of the requests. */
function bindSent(
  tx: Tx,
  keyed: readonly Keyed[],
  decided: ReadonlyMap<number, Outcome>,
  outcomes: readonly Outcome[],
): Outcome[] {
  const created = keyed.flatMap(({ at, senderId, upsert }) => {
    const outcome = outcomes[at]!;
    if (decided.has(at) || outcome.kind !== "committed") return [];
    return [{ at, senderId, messageId: outcome.result.id, ...upsert }];
  });
  bind(
    tx,
    created.map(({ senderId }) => senderId),
    created,
  );
  const isCreated = new Set(created.map(({ at }) => at));
  return outcomes.map((outcome, at) =>
    outcome.kind === "committed" && isCreated.has(at)
      ? { kind: "committed", result: { upsertResult: "created", ...outcome.result } }
      : outcome,
  );
}

function serialize(keyed: Keyed): Outcome {
  return { kind: "serialize", key: serialKey(keyed) };
}

/** Returns the key of the serial queue. Requests without upsert keys use the smaller numbers of their audience locks. */
function serialKey({ number }: Keyed): number {
  return 2 ** 40 + number;
}
