import { doIntent, failIntent, IntentBusy, readIntent, type ClaimedIntent } from "@carillon/outbox";
import type { Database, Tx } from "@carillon/db";
import { GiveUp, type IntentDefinition, type IntentRef } from "@carillon/jobs";
import { AwaitChildren, HandBack } from "@carillon/queue";

import { processor, type JobContext, type Processor } from "./processor.ts";
import type { WorkerServices } from "./services.ts";

/**
 * Makes the processor of a job that runs from a row of `job_intent`. The work and the end of its intent commit in one
 * transaction, so that a job that runs twice has one effect; the last failure makes the row a dead letter with its reason.
 * At the deadline and at a shutdown the work is cancelled and rolled back.
 */
export function intentProcessor<Payload>(
  definition: IntentDefinition<Payload>,
  work: (tx: Tx, intent: ClaimedIntent<Payload>) => Promise<void>,
): Processor<IntentRef> {
  return processor(definition, (context) =>
    recordingFailure(definition, context, (db) => doIntent(db, definition, context.payload, work)),
  );
}

/** The services of a job that calls another server. */
export type Calling = Omit<WorkerServices, "log"> & Pick<JobContext<IntentRef>, "log" | "signal">;

/**
 * Makes the processor of a job that calls another server, with no transaction open during the call. The function that `call`
 * returns runs after the call, in the transaction that ends the intent. If the worker dies before that transaction, the
 * call is repeated, so the server must recognise the intent's id. If an operator has replayed the intent during the call,
 * the processor writes nothing.
 */
export function callProcessor<Payload>(
  definition: IntentDefinition<Payload>,
  call: (
    db: Database,
    intent: ClaimedIntent<Payload>,
    calling: Calling,
  ) => Promise<((tx: Tx) => Promise<void>) | void>,
): Processor<IntentRef> {
  return processor(definition, (context) =>
    recordingFailure(definition, context, async (db) => {
      const intent = await readIntent(db, definition, context.payload);
      if (!intent) return;
      const { services, log, signal } = context;
      const settle = await call(db, intent, { ...services, log, signal });
      await doIntent(db, definition, context.payload, async (tx) => settle?.(tx));
    }),
  );
}

/** Makes the processor of a job with several transactions, or with child jobs: `work` ends the intent itself. */
export function intentSteps<Payload>(
  definition: IntentDefinition<Payload>,
  work: (db: Database, ref: IntentRef) => Promise<void>,
): Processor<IntentRef> {
  return processor(definition, (context) =>
    recordingFailure(definition, context, (db) => work(db, context.payload)),
  );
}

/**
 * Errors after which the job runs again without counting an attempt. If it does not run again, the sweep finds the row.
 */
const uncountedErrors = [IntentBusy, HandBack, AwaitChildren];

/** Runs the work of an intent and records a failure in its row. */
export async function recordingFailure(
  { retry }: IntentDefinition,
  { payload, attempt, deadline, services: { db } }: JobContext<IntentRef>,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  try {
    await work(db.within(deadline));
  } catch (error) {
    if (uncountedErrors.some((kind) => error instanceof kind)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const dead = error instanceof GiveUp || attempt >= retry.attempts;
    await failIntent(db, payload, { reason, dead });
    throw error;
  }
}
