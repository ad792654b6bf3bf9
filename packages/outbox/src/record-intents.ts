import { statement, type Tx } from "@carillon/db";
import type { IntentDefinition, IntentRef } from "@carillon/jobs";

import { intentsRecorded, queuedColumns, type QueuedIntent, queuedRow } from "./queued-intent.ts";

export interface NewIntent<Payload> {
  /** A second one with this key is not recorded, until a day after the first one is done. */
  readonly key: string;
  readonly payload: Payload;
  /** At once unless given. */
  readonly runAt?: Date;
}

const insert = statement({
  name: "intents-insert",
  text: `INSERT INTO job_intent (realm_id, job, unique_key, payload, run_at)
    SELECT $1, $2, i.key, i.payload, coalesce(i.run_at, now())
    FROM unnest($3::text[], $4::jsonb[], $5::timestamptz[]) AS i (key, payload, run_at)
    ON CONFLICT (unique_key) DO NOTHING RETURNING ${queuedColumns}`,
  row: queuedRow,
});

/**
 * Writes down background work in the transaction that causes it: it exists if and only if the change commits. The
 * outbox hears of it after the commit; the relay finds what its listeners missed.
 */
export async function recordIntents<Payload>(
  tx: Tx,
  realmId: number,
  definition: IntentDefinition<Payload>,
  intents: ReadonlyArray<NewIntent<NoInfer<Payload>>>,
): Promise<void> {
  if (intents.length === 0) return;
  tx.publishAfterCommit(intentsRecorded, await insertIntents(tx, realmId, definition, intents));
}

/**
 * The same for one piece of work that the caller does itself once it has committed, by `doIntent`. Where it has not
 * within two seconds, the relay puts it into the queue: then a worker does it.
 */
export async function keepIntent<Payload>(
  tx: Tx,
  realmId: number,
  definition: IntentDefinition<Payload>,
  intent: NewIntent<NoInfer<Payload>>,
): Promise<IntentRef> {
  const [kept] = await insertIntents(tx, realmId, definition, [intent]);
  if (!kept) throw new Error(`there is an intent ${intent.key} already`);
  return kept;
}

function insertIntents<Payload>(
  tx: Tx,
  realmId: number,
  definition: IntentDefinition<Payload>,
  intents: ReadonlyArray<NewIntent<Payload>>,
): Promise<QueuedIntent[]> {
  return tx.rows(insert, [
    realmId,
    definition.name,
    intents.map(({ key }) => `${definition.name}/${key}`),
    intents.map(({ payload }) => JSON.stringify(definition.intent.parse(payload))),
    intents.map(({ runAt }) => runAt ?? null),
  ]);
}
