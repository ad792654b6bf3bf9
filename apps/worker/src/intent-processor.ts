import {
  doIntent,
  failIntent,
  IntentBusy,
  lookAtIntent,
  type ClaimedIntent,
} from "@carillon/outbox";
import type { Database, Tx } from "@carillon/db";
import { GiveUp, type IntentDefinition, type IntentRef } from "@carillon/jobs";
import { AwaitChildren, HandBack } from "@carillon/queue";

import { processor, type JobContext, type Processor } from "./processor.ts";
import type { WorkerServices } from "./services.ts";

/**
 * The processor of a job that runs from a row of `job_intent`. What `work` does and the end of its intent commit
 * together, so that a job that runs twice has one effect; the last failure makes the row a dead letter with its reason.
 * At its deadline, and when the process must end, what it does is cancelled and rolled back.
 */
export function intentProcessor<Payload>(
  definition: IntentDefinition<Payload>,
  work: (tx: Tx, intent: ClaimedIntent<Payload>) => Promise<void>,
): Processor<IntentRef> {
  return processor(definition, (context) =>
    noted(definition, context, (db) => doIntent(db, definition, context.payload, work)),
  );
}

/** What a job that calls somebody else gets to work with. */
export type Calling = Omit<WorkerServices, "log"> & Pick<JobContext<IntentRef>, "log" | "signal">;

/**
 * The same for a job that calls somebody else, which no transaction waits for: it is called, then the intent's end is
 * noted, in one transaction with what the call gives back to be done. Where the worker dies in between it is called
 * again, and has to know by the intent's id that it was. Where an operator has replayed the intent meanwhile, nothing
 * is done.
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
    noted(definition, context, async (db) => {
      const intent = await lookAtIntent(db, definition, context.payload);
      if (!intent) return;
      const { services, log, signal } = context;
      const settle = await call(db, intent, { ...services, log, signal });
      await doIntent(db, definition, context.payload, async (tx) => settle?.(tx));
    }),
  );
}

/** The same for a job that goes through several transactions, or waits for others: it notes the intent's end itself. */
export function intentSteps<Payload>(
  definition: IntentDefinition<Payload>,
  work: (db: Database, ref: IntentRef) => Promise<void>,
): Processor<IntentRef> {
  return processor(definition, (context) =>
    noted(definition, context, (db) => work(db, context.payload)),
  );
}

/** It was not tried, or not to its end: the job comes again, and at its end the sweep sees to the row. */
const unfinished = [IntentBusy, HandBack, AwaitChildren];

/** Writes into the row how it failed, where it did: for processors that do the rest themselves. */
export async function noted(
  { retry }: IntentDefinition,
  { payload, attempt, lifetime, services: { db } }: JobContext<IntentRef>,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  try {
    await work(db.within(lifetime));
  } catch (error) {
    if (unfinished.some((kind) => error instanceof kind)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const dead = error instanceof GiveUp || attempt >= retry.attempts;
    await failIntent(db, payload, { reason, dead });
    throw error;
  }
}
