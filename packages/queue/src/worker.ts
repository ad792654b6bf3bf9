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
import { setTimeout as pause } from "node:timers/promises";
import {
  UnrecoverableError,
  WaitingChildrenError,
  WaitingError,
  Worker,
  type Job,
  type Telemetry,
} from "bullmq";
import { AwaitChildren } from "./await-children.ts";
import type { Backend } from "./backend.ts";
import { HandBack } from "./hand-back.ts";
import { pauseAfterRefusal, refusedPauseMs, type FetchState } from "./pause-after-refusal.ts";
import { backoffName } from "./publish.ts";

/** How long a closing worker may still take to connect, in milliseconds. */
const connectMs = 2_000;

/** Errors of one worker within this many milliseconds are logged as one line. */
const errorLogIntervalMs = 10_000;

/** One run of a job, as the runner sees it. */
export interface Run {
  readonly queue: QueueName;
  readonly name: string;
  readonly id: string;
  /** Not validated yet. */
  readonly data: unknown;
  /** 1 at the first run. Counts failures only: a run after a crash has the number of the crashed run. */
  readonly attempt: number;
  /** Whether the job has run before, and failed or lost its worker. */
  readonly again: boolean;
  /** Aborted when the queue cancels the job. */
  readonly signal: AbortSignal;
}

export interface WorkerOptions {
  /** The retries of these definitions decide the pauses. */
  readonly definitions: readonly JobDefinition[];
  readonly log: Logger;
  /** Jobs that run at once in this process; by default the queue's own number. */
  readonly concurrency?: number;
  /** How many jobs all workers together may start within a time; by default the queue's own limit. */
  readonly limit?: { readonly jobs: number; readonly withinMs: number };
  /**
   * Runs one job. May throw `GiveUp` or `InvalidPayload` (permanent failure), `HandBack` (back to waiting, no attempt
   * counted), `AwaitChildren` (back when its children have ended, no attempt counted), or anything else (failed, and
   * retried while attempts are left).
   */
  run(run: Run): Promise<void>;
}

/** Counts of one worker since it started. */
export interface WorkerCounters {
  completed: number;
  failed: number;
  stalled: number;
  errors: number;
}

export interface WorkerHandle {
  readonly queue: QueueName;
  readonly counters: Readonly<WorkerCounters>;
  /** How many runs have begun since the worker started. */
  readonly begun: number;
  /** The store's error when the worker last tried to take a job; undefined if that succeeded. */
  readonly refusal: string | undefined;
  /**
   * Takes no new job. Resolves with true when the running jobs have ended, with false after `limitMs` milliseconds;
   * closing then continues, and `close` may be called again.
   */
  close(limitMs?: number): Promise<boolean>;
}

/** Starts a worker of one queue. */
export function startWorker(
  backend: Backend,
  queue: QueueName,
  options: WorkerOptions & {
    /** Adds jobs to the queue as children of `parent`. */
    readonly addChildren: (parent: Job, children: readonly Publication[]) => Promise<void>;
    /** With it, BullMQ records a span for each run of a job. */
    readonly telemetry?: Telemetry | undefined;
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
        // All children have ended already.
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
  const fetching: FetchState = { refusal: undefined, closing: false };
  let nextErrorLogAt = 0;
  let unloggedErrors = 0;
  const onError = (error: Error) => {
    counters.errors++;
    unloggedErrors++;
    if (performance.now() < nextErrorLogAt) return;
    nextErrorLogAt = performance.now() + errorLogIntervalMs;
    log.warn({ err: error, queue, errors: unloggedErrors }, "worker error");
    unloggedErrors = 0;
  };

  const construct = () => {
    const worker = new Worker(
      queue,
      process,
      {
        connection: backend.consumer,
        // Started below, when it is connected.
        autorun: false,
        prefix: backend.prefix,
        concurrency: options.concurrency ?? queues[queue].concurrency,
        // After kill -9 a job runs again when its lock has expired and a worker checks for stalled jobs. Several
        // workers on Redis leave up to two intervals between checks, so it takes at most 16 s; the promise is 20 s.
        // With 15 s and 5 s it took up to 21 s.
        lockDuration: 10_000,
        stalledInterval: 3_000,
        maxStalledCount: 3,
        ...(options.telemetry && { telemetry: options.telemetry }),
        // A limit for all workers together, on both stores.
        ...(limit && { limiter: { max: limit.jobs, duration: limit.withinMs } }),
        // Without this setting the totals of the metrics stay 0. Data points are minutes: this is a day.
        metrics: { maxDataPoints: 1_440 },
        settings: {
          backoffStrategy: (failures, type, _error, job) => {
            const retry = retries.get(job?.name ?? "");
            return type === backoffName && retry ? pauseAfter(retry, failures) : 15_000;
          },
        },
      },
      pauseAfterRefusal(backend.factory, fetching),
    );
    worker.on("completed", () => counters.completed++);
    worker.on("failed", (job, error) => {
      counters.failed++;
      const final = job === undefined || job.finishedOn !== undefined;
      log[final ? "error" : "warn"](
        { err: error, queue, job: job?.name, id: job?.id, attempt: job?.attemptsMade },
        final ? "job failed permanently" : "job failed; it will be retried",
      );
    });
    worker.on("stalled", (id) => {
      counters.stalled++;
      log.warn({ queue, id }, "job stalled; it runs again");
    });
    worker.on("error", onError);
    return worker;
  };

  const storeAnswers = () =>
    backend.ping().then(
      () => true,
      () => false,
    );
  let worker = construct();
  /** Starts the worker, and replaces it if it cannot connect: BullMQ tries once, and such a worker would never take a job. */
  const start = async () => {
    while (!fetching.closing) {
      try {
        await worker.waitUntilReady();
        if (!fetching.closing) worker.run().catch(onError);
        return;
      } catch (error) {
        fetching.refusal = error instanceof Error ? error.message : String(error);
        await worker.close(true);
        // BullMQ leaves a listener on the pool for each worker constructed: constructs the next one when the store answers.
        do await pause(refusedPauseMs);
        while (!fetching.closing && !(await storeAnswers()));
        if (!fetching.closing) worker = construct();
      }
    }
  };
  const started = start();
  let closing: Promise<void> | undefined;
  const close = async () => {
    fetching.closing = true;
    // Takes no job from now on, even if the blocking connection is not established yet.
    await worker.pause(true);
    // A worker that is closed while it connects would keep its connection forever.
    await within(started, connectMs);
    await worker.close();
  };
  return {
    queue,
    counters,
    get refusal() {
      return fetching.refusal;
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
