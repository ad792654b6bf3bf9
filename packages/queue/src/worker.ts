import { limitOf, pauseAfter, queues, type JobDefinition, type QueueName } from "@carillon/jobs";
import { type Logger, within } from "@carillon/kit";
import { setTimeout as pause } from "node:timers/promises";
import { type Job, type Telemetry, Worker } from "bullmq";
import type { Backend } from "./backend.ts";
import { type AddChildren, endRun } from "./end-run.ts";
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

export interface StartWorkerOptions extends WorkerOptions {
  /** Adds jobs to the queue as children of `parent`. */
  readonly addChildren: AddChildren;
  /** With it, BullMQ records a span for each run of a job. */
  readonly telemetry?: Telemetry | undefined;
}

/** Starts a worker of one queue. */
export function startWorker(
  backend: Backend,
  queue: QueueName,
  options: StartWorkerOptions,
): WorkerHandle {
  return new QueueWorker(backend, queue, options);
}

class QueueWorker implements WorkerHandle {
  readonly queue: QueueName;
  readonly counters: WorkerCounters = { completed: 0, failed: 0, stalled: 0, errors: 0 };
  begun = 0;
  readonly #backend: Backend;
  readonly #options: StartWorkerOptions;
  readonly #fetching: FetchState = { refusal: undefined, closing: false };
  #worker: Worker;
  readonly #started: Promise<void>;
  #closing: Promise<void> | undefined;
  #nextErrorLogAt = 0;
  #unloggedErrors = 0;

  constructor(backend: Backend, queue: QueueName, options: StartWorkerOptions) {
    this.queue = queue;
    this.#backend = backend;
    this.#options = options;
    this.#worker = this.#construct();
    this.#started = this.#start();
  }

  get refusal(): string | undefined {
    return this.#fetching.refusal;
  }

  close(limitMs = Infinity): Promise<boolean> {
    return within((this.#closing ??= this.#close()), limitMs);
  }

  async #close(): Promise<void> {
    this.#fetching.closing = true;
    // Takes no job from now on, even if the blocking connection is not established yet.
    await this.#worker.pause(true);
    // A worker that is closed while it connects would keep its connection forever.
    await within(this.#started, connectMs);
    await this.#worker.close();
  }

  /** Starts the worker, and replaces it if it cannot connect: BullMQ tries once, and such a worker would never take a job. */
  async #start(): Promise<void> {
    const fetching = this.#fetching;
    while (!fetching.closing) {
      try {
        await this.#worker.waitUntilReady();
        if (!fetching.closing) this.#worker.run().catch((error: Error) => this.#noteError(error));
        return;
      } catch (error) {
        fetching.refusal = error instanceof Error ? error.message : String(error);
        await this.#worker.close(true);
        // BullMQ leaves a listener on the pool for each worker constructed: constructs the next one when the store answers.
        do await pause(refusedPauseMs);
        while (!fetching.closing && !(await this.#storeAnswers()));
        if (!fetching.closing) this.#worker = this.#construct();
      }
    }
  }

  #storeAnswers(): Promise<boolean> {
    return this.#backend.ping().then(
      () => true,
      () => false,
    );
  }

  #construct(): Worker {
    const { definitions, concurrency, telemetry, limit = limitOf(this.queue) } = this.#options;
    const retries = new Map(definitions.map(({ name, retry }) => [name, retry]));
    const worker = new Worker(
      this.queue,
      // BullMQ passes the signal only to a function that declares three parameters.
      (job: Job, token: string | undefined, signal?: AbortSignal) =>
        this.#process(job, token, signal),
      {
        connection: this.#backend.consumer,
        // `#start` runs the worker when it is connected.
        autorun: false,
        prefix: this.#backend.prefix,
        concurrency: concurrency ?? queues[this.queue].concurrency,
        // After kill -9 a job runs again when its lock has expired and a worker checks for stalled jobs. Several
        // workers on Redis leave up to two intervals between checks, so it takes at most 16 s; the promise is 20 s.
        // With 15 s and 5 s it took up to 21 s.
        lockDuration: 10_000,
        stalledInterval: 3_000,
        maxStalledCount: 3,
        ...(telemetry && { telemetry }),
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
      pauseAfterRefusal(this.#backend.factory, this.#fetching),
    );
    this.#watch(worker);
    return worker;
  }

  async #process(
    job: Job,
    token: string | undefined,
    signal = new AbortController().signal,
  ): Promise<void> {
    this.begun++;
    await endRun(job, token, this.#run(job, signal), this.#options.addChildren);
  }

  async #run(job: Job, signal: AbortSignal): Promise<void> {
    await this.#options.run({
      queue: this.queue,
      name: job.name,
      id: job.id ?? "",
      data: job.data,
      attempt: job.attemptsMade + 1,
      again: job.attemptsMade > 0 || job.stalledCounter > 0,
      signal,
    });
  }

  /** Counts and logs how jobs end, and the errors of the worker. */
  #watch(worker: Worker): void {
    const { queue, counters } = this;
    const { log } = this.#options;
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
    worker.on("error", (error) => this.#noteError(error));
  }

  #noteError(error: Error): void {
    this.counters.errors++;
    this.#unloggedErrors++;
    if (performance.now() < this.#nextErrorLogAt) return;
    this.#nextErrorLogAt = performance.now() + errorLogIntervalMs;
    this.#options.log.warn(
      { err: error, queue: this.queue, errors: this.#unloggedErrors },
      "worker error",
    );
    this.#unloggedErrors = 0;
  }
}
