import * as z from "zod";
import type { Duration } from "./duration.ts";
import { job, type JobDefinition } from "./job.ts";
import type { QueueName } from "./queues.ts";
import type { Retry } from "./retry.ts";

/** Identifies the row of `job_intent` that a job works on. */
export interface IntentRef {
  readonly intentId: number;
  readonly version: number;
}

/** A job whose work is recorded in a row of `job_intent`, in the transaction that causes it. */
export interface IntentDefinition<Intent = unknown> extends JobDefinition<IntentRef> {
  /** A short name of the work for operators: dead letters show it beside the name of the job. */
  readonly title: string;
  /** The schema of the row's payload: ids, never text. */
  readonly intent: z.ZodType<Intent>;
  /** Whether the work is done although the organization is deactivated. All other work waits for the reactivation. */
  runsInDeactivated?(intent: Intent): boolean;
}

const reference = z.strictObject({
  intentId: z.int().positive(),
  /** Rises when an operator replays the row. */
  version: z.int().positive(),
});

/** Declares a job that runs from a row of `job_intent`, which is its outbox entry, its ledger and its dead letter. */
export function intentJob<Intent>(declaration: {
  name: string;
  title: string;
  queue: QueueName;
  about: string;
  intent: z.ZodType<Intent>;
  retry: Retry;
  deadline: Duration;
  yields?: boolean;
  runsInDeactivated?: (intent: NoInfer<Intent>) => boolean;
}): IntentDefinition<Intent> {
  const { intent, title, runsInDeactivated, ...rest } = declaration;
  return {
    ...job({
      ...rest,
      payload: reference,
      key: ({ intentId, version }) => `${declaration.name}-${intentId}-v${version}`,
    }),
    title,
    intent,
    ...(runsInDeactivated && { runsInDeactivated }),
  };
}

/** Returns whether the job runs from a row of `job_intent`. */
export function isIntentJob(definition: JobDefinition): definition is IntentDefinition {
  return "intent" in definition;
}
