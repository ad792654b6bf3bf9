import { doIntent, failIntent, IntentBusy, type ClaimedIntent, type Tx } from "@carillon/db";
import { GiveUp, type IntentDefinition } from "@carillon/jobs";
import { HandBack } from "@carillon/queue";

import { processor, type Processor } from "./processor.ts";

/**
 * The processor of a job that runs from a row of `job_intent`. What `work` does and the end of its intent commit
 * together, so that a job that runs twice has one effect; the last failure makes the row a dead letter with its reason.
 * At its deadline, and when the process must end, what it does is cancelled and rolled back.
 */
export function intentProcessor<Payload>(
  definition: IntentDefinition<Payload>,
  work: (tx: Tx, intent: ClaimedIntent<Payload>) => Promise<void>,
): Processor<{ intentId: number; version: number }> {
  return processor(definition, async ({ payload, attempt, lifetime, services: { db } }) => {
    try {
      await doIntent(db.within(lifetime), definition, payload, work);
    } catch (error) {
      // It was not tried, or not to its end: the job comes again, and at its end the sweep sees to the row.
      if (error instanceof IntentBusy || error instanceof HandBack) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      const dead = error instanceof GiveUp || attempt >= definition.retry.attempts;
      await failIntent(db, payload, { reason, dead });
      throw error;
    }
  });
}
