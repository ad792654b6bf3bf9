import { z } from "zod";
import type { Duration } from "./duration.ts";
import { job, type JobDefinition } from "./job.ts";
import type { QueueName } from "./queues.ts";
import type { Retry } from "./retry.ts";

/** The row of `job_intent` that a job is to look at. */
export interface IntentRef {
  readonly intentId: number;
  readonly version: number;
}

/** A job whose work is written down in a row of `job_intent`, in the transaction that causes it. */
export interface IntentDefinition<Intent = unknown> extends JobDefinition<IntentRef> {
  /** What operators call the work, in a word or two: dead letters show it beside the name of the job. */
  readonly title: string;
  /** What the row holds: ids, never text. */
  readonly intent: z.ZodType<Intent>;
}

const reference = z.strictObject({
  intentId: z.int().positive(),
  /** Rises when an operator replays the row. */
  version: z.int().positive(),
});

/** Declares a job that runs from a row of `job_intent`: outbox, ledger and dead letter at once. */
export function intentJob<Intent>(declaration: {
  name: string;
  title: string;
  queue: QueueName;
  about: string;
  intent: z.ZodType<Intent>;
  retry: Retry;
  deadline: Duration;
}): IntentDefinition<Intent> {
  const { intent, title, ...rest } = declaration;
  return {
    ...job({
      ...rest,
      payload: reference,
      key: ({ intentId, version }) => `${declaration.name}-${intentId}-v${version}`,
    }),
    title,
    intent,
  };
}

/** Whether the job runs from a row of `job_intent`. */
export function isIntentJob(definition: JobDefinition): definition is IntentDefinition {
  return "intent" in definition;
}
