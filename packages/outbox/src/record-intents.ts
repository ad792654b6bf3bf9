import { notNull, PostCommitTopic, type RowOf, statement, type Tx } from "@carillon/db";
import type { IntentDefinition, IntentRef } from "@carillon/jobs";

import { queuedColumns } from "./intents.ts";

export interface NewIntent<Payload> {
  /** A second intent with this key is not recorded until a day after the first one is done. */
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
});

/**
 * An intent that waits for its job.
 * - `job`: name of the job.
 * - `delayMs`: milliseconds until it may run; 0 or less for now.
 */
export type QueuedIntent = RowOf<typeof insert>;

/** Published after a commit that recorded intents, or made dead ones pending again. */
export const intentsRecorded = new PostCommitTopic<readonly QueuedIntent[]>("intents recorded");

/**
 * Records background work in the transaction that causes it: it exists if and only if the change commits. After the
 * commit its job is added to the queue; the relay adds the jobs that this missed.
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
 * Records one piece of work that the caller does itself after the commit, with `doIntent`. If the caller has not done
 * it within two seconds, the relay adds a job and a worker does it.
 * @throws Error when the key is taken
 */
export async function recordOwnIntent<Payload>(
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

const revive = statement({
  name: "intents-revive",
  text: `WITH dead AS (
      SELECT id FROM job_intent WHERE unique_key = ANY($1::text[]) AND state = 'dead' FOR NO KEY UPDATE SKIP LOCKED
    ), revived AS (
      UPDATE job_intent i SET state = 'pending', version = i.version + 1, attempts = 0, run_at = now(),
        enqueued_at = NULL, finished_at = NULL
      FROM dead WHERE i.id = dead.id RETURNING i.*)
    SELECT ${queuedColumns} FROM revived`,
  overrides: { delayMs: notNull },
});

/**
 * Makes the dead letters among the intents pending again, as an operator's replay does. Locked rows are skipped: they
 * are being replayed or worked on.
 */
export async function reviveIntents(
  tx: Tx,
  { name }: IntentDefinition,
  keys: readonly string[],
): Promise<void> {
  const revived = await tx.rows(revive, [keys.map((key) => `${name}/${key}`)]);
  if (revived.length > 0) tx.publishAfterCommit(intentsRecorded, revived);
}
