import * as z from "zod";
import { milliseconds, type Duration } from "./duration.ts";
import { checkName } from "./named-once.ts";
import type { QueueName } from "./queues.ts";
import type { Retry } from "./retry.ts";

/** Declares one kind of job: queue, validation, retries, ids and the reference page all come from it. */
export interface JobDefinition<Payload = unknown> {
  readonly name: string;
  readonly queue: QueueName;
  /** Describes the job in one sentence, for the reference page and the dashboard. */
  readonly about: string;
  /** Ids and versions only, never text or secrets: the queue keeps payloads in plain text. */
  readonly payload: z.ZodType<Payload>;
  /** Returns the id of the job in its queue: adding an existing id does nothing. */
  key(payload: Payload): string;
  readonly retry: Retry;
  /** Milliseconds after which the signal of a run is aborted. */
  readonly deadlineMs: number;
  /** How long a completed job is kept for the dashboard, in milliseconds; 0 removes it at once. */
  readonly keepCompletedMs: number;
  /** Whether it runs after all other waiting jobs of its queue: for numerous jobs that are not urgent. */
  readonly yields: boolean;
}

/** A job to be added to its queue. */
export interface Publication<Payload = unknown> {
  readonly job: JobDefinition<Payload>;
  readonly payload: NoInfer<Payload>;
  /** Milliseconds from now until it may run; 0 unless given. */
  readonly delayMs?: number;
  /** Whether it runs after all other waiting jobs of its queue; as the definition says unless given. */
  readonly yields?: boolean;
  /**
   * How many jobs of the same account already wait. Of jobs that yield, those with a smaller number run first, so that
   * many jobs of one account do not delay a single one of another. 0 unless given.
   */
  readonly behind?: number;
  /** Overrides the id that the definition computes from the payload. */
  readonly id?: string;
}

/** Adds jobs to their queues. */
export interface JobPublisher {
  publish(jobs: readonly Publication[]): Promise<void>;
}

/** Declares a job. The order of the fields is the order of the reference page. */
export function job<Payload>(declaration: {
  name: string;
  queue: QueueName;
  about: string;
  payload: z.ZodType<Payload>;
  key: (payload: Payload) => string;
  retry: Retry;
  deadline: Duration;
  keepCompleted?: Duration;
  yields?: boolean;
}): JobDefinition<Payload> {
  const { name, queue, about, payload, key, retry, deadline, keepCompleted } = declaration;
  const { yields = false } = declaration;
  checkName("job", name);
  return {
    name,
    queue,
    about,
    payload,
    key,
    retry,
    deadlineMs: milliseconds(deadline),
    keepCompletedMs: keepCompleted === undefined ? 0 : milliseconds(keepCompleted),
    yields,
  };
}

/**
 * Validates `payload` against the declaration; called both when a job is added and when it runs.
 * @throws InvalidPayload that names the job and the first wrong field
 */
export function checkPayload<Payload>(
  definition: JobDefinition<Payload>,
  payload: unknown,
): Payload {
  const parsed = definition.payload.safeParse(payload);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue?.path.join(".") || "payload";
  throw new InvalidPayload(`${definition.name}: ${field}: ${issue?.message ?? "is wrong"}`);
}

/** A payload that does not match its declaration; running the job again cannot help. */
export class InvalidPayload extends Error {
  override readonly name = "InvalidPayload";
}

/**
 * Returns the id under which a job is added.
 * @throws RangeError for an id that the queue refuses: empty, with a colon, or of digits only
 */
export function jobId<Payload>(
  definition: JobDefinition<Payload>,
  payload: Payload,
  id?: string,
): string {
  const key = id ?? definition.key(payload);
  if (key === "" || key.includes(":") || /^\d+$/.test(key)) {
    throw new RangeError(
      `${definition.name}: the id "${key}" must not be empty, hold a colon or be digits only`,
    );
  }
  return key;
}
