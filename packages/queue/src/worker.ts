import {
  GiveUp,
  InvalidPayload,
  limitOf,
  pauseAfter,
  queues,
  type JobDefinition,
  type Publication,
  type QueueName,
} from "@carillon/jobs";
import { type Logger, within } from "@carillon/kit";
import { UnrecoverableError, WaitingChildrenError, WaitingError, Worker, type Job } from "bullmq";
import { AwaitChildren } from "./await-children.ts";
import type { Backend } from "./backend.ts";
import { HandBack } from "./hand-back.ts";
import { patient, type Takes } from "./patient.ts";
import { backoffName } from "./publish.ts";

/** How long a worker that is asked to close may still take to connect. */
const connectMs = 2_000;

/** Errors of one worker within so many milliseconds are one line of the log. */
const quietMs = 10_000;

/** One run of a job, as the runner sees it. */
export interface Run {
  readonly queue: QueueName;
  readonly name: string;
  readonly id: string;
  /** Not checked yet. */
  readonly data: unknown;
  /** 1 at the first run, counting failures only: a run after a crash has the number of the one that crashed. */
  readonly attempt: number;
  /** Whether it has begun before, and failed or lost its worker. */
  readonly again: boolean;
  /** Aborted when the queue cancels the job. */
  readonly signal: AbortSignal;
}

export interface WorkerOptions {
  /** Their retries decide the pauses. */
  readonly definitions: readonly JobDefinition[];
  readonly log: Logger;
  /** Jobs at once in this process; the queue's own number unless given. */
  readonly concurrency?: number;
  /** How many jobs all workers together begin within a time; the queue's own limit unless given. */
  readonly limit?: { readonly jobs: number; readonly withinMs: number };
  /**
   * Runs one job. It may throw `GiveUp` or `InvalidPayload` (failed for good), `HandBack` (back to wait,
   * no attempt counted), `AwaitChildren` (back when they have ended, no attempt counted), or anything else (failed, and
   * tried again while attempts are left).
   */
  run(run: Run): Promise<void>;
}

/** What has happened in one worker since it started. */
export interface WorkerCounters {
  completed: number;
  failed: number;
  stalled: number;
  errors: number;
}

export interface WorkerHandle {
  readonly queue: QueueName;
  readonly counters: Readonly<WorkerCounters>;
  /** How many runs have begun since it started. */
  readonly begun: number;
  /** Why the store has refused it a job, the last time that it asked; undefined when it has not. */
  readonly refusal: string | undefined;
  /**
   * Takes no new job, and resolves with true when the running ones have ended, with false when `limitMs`
   * have passed before; it goes on closing then, and may be asked again.
   */
  close(limitMs?: number): Promise<boolean>;
}

/** A worker of one queue. It starts at once. */
export function startWorker(
  backend: Backend,
  queue: QueueName,
  options: WorkerOptions & {
    /** Puts jobs into the queue as children of one. */
    readonly addChildren: (parent: Job, children: readonly Publication[]) => Promise<void>;
  },
): WorkerHandle {
  const { definitions, log } = options;
  const retries = new Map(definitions.map((definition) => [definition.name, definition.retry]));
  let begun = 0;
  const counters: WorkerCounters = { completed: 0, failed: 0, stalled: 0, errors: 0 };

  // BullMQ passes the signal only to a function that declares three parameters.
  const process = async (
    job: Job,
    token: string | undefined,
    signal?: AbortSignal,
  ): Promise<void> => {
    begun++;
    try {
      await options.run({
        queue,
        name: job.name,
        id: job.id ?? "",
        data: job.data,
        attempt: job.attemptsMade + 1,
        again: job.attemptsMade > 0 || job.stalledCounter > 0,
        signal: signal ?? new AbortController().signal,
      });
    } catch (error) {
      if (error instanceof AwaitChildren) {
        await options.addChildren(job, error.children);
        if (await job.moveToWaitingChildren(token ?? "")) throw new WaitingChildrenError();
        // All of them have ended by now.
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (error instanceof HandBack) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      if (error instanceof GiveUp || error instanceof InvalidPayload) throw unrecoverable(error);
      throw error;
    }
  };

  const limit = options.limit ?? limitOf(queue);
  const takes: Takes = { refusal: undefined, closing: false };
  const worker = new Worker(
    queue,
    process,
    {
      connection: backend.consumer,
      prefix: backend.prefix,
      concurrency: options.concurrency ?? queues[queue].concurrency,
      // After kill -9 a job runs again once its lock has run out and a look for stalled ones comes. Several
      // workers on Redis leave up to two intervals between looks, so 16 s at most; the promise is 20 s.
      // With 15 s and 5 s it took up to 21 s.
      lockDuration: 10_000,
      stalledInterval: 3_000,
      maxStalledCount: 3,
      // Of all workers together, on both stores.
      ...(limit && { limiter: { max: limit.jobs, duration: limit.withinMs } }),
      // Without it the totals of the metrics stay 0. Points are minutes: a day.
      metrics: { maxDataPoints: 1_440 },
      settings: {
        backoffStrategy: (failures, type, _error, job) => {
          const retry = retries.get(job?.name ?? "");
          return type === backoffName && retry ? pauseAfter(retry, failures) : 15_000;
        },
      },
    },
    patient(backend.factory, takes),
  );
  worker.on("completed", () => counters.completed++);
  worker.on("failed", (job, error) => {
    counters.failed++;
    const final = job === undefined || job.finishedOn !== undefined;
    log[final ? "error" : "warn"](
      { err: error, queue, job: job?.name, id: job?.id, attempt: job?.attemptsMade },
      final ? "a job failed for good" : "a job failed and will be tried again",
    );
  });
  worker.on("stalled", (id) => {
    counters.stalled++;
    log.warn({ queue, id }, "a job had stalled and runs again");
  });
  let quietUntil = 0;
  let unsaid = 0;
  worker.on("error", (error) => {
    counters.errors++;
    unsaid++;
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + quietMs;
    log.warn({ err: error, queue, errors: unsaid }, "a worker had an error");
    unsaid = 0;
  });

  // Closed while it still connects, it would keep its connection for ever.
  const ready = worker.waitUntilReady().catch(() => undefined);
  let closing: Promise<void> | undefined;
  const close = async () => {
    takes.closing = true;
    // Takes no job from now on, also while the connection that waits for jobs is still being made.
    await worker.pause(true);
    await within(ready, connectMs);
    await worker.close();
  };
  return {
    queue,
    counters,
    get refusal() {
      return takes.refusal;
    },
    get begun() {
      return begun;
    },
    close: (limitMs = Infinity) => within((closing ??= close()), limitMs),
  };
}

function unrecoverable(error: Error): UnrecoverableError {
  const wrapped = new UnrecoverableError(error.message);
  wrapped.cause = error;
  return wrapped;
}
