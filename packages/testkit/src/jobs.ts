import { RequestDeadline, type Database } from "@carillon/db";
import { checkPayload, type JobDefinition, type Publication } from "@carillon/jobs";
import type { Queues } from "@carillon/queue";
import type { Mail } from "@carillon/mail";
import type { AnyProcessor, Runner, WorkerServices } from "@carillon/worker";
import { testOutgoing } from "./endpoint.ts";
import { later } from "./later.ts";
import { captureLog, type LogLine } from "./log-capture.ts";
import { keepingMailer } from "./mail.ts";
import { testSite } from "./site.ts";
import { testFiles } from "./test-files.ts";

export interface RunJobOptions {
  /** Overrides of the tests' configuration. */
  readonly services?: Partial<WorkerServices>;
  /** Default: the worker's processors. */
  readonly processors?: readonly AnyProcessor[];
  readonly signal?: AbortSignal;
  /** Number of the attempt; default 1. */
  readonly attempt?: number;
}

/** Result of a job. */
export interface JobRun {
  /** Mail sent by the default mailer. */
  readonly mail: readonly Mail[];
  /** Jobs that the processor published, recorded instead of enqueued. */
  readonly published: readonly Publication[];
  readonly logLines: readonly LogLine[];
}

/**
 * Runs a job once, without a queue: checks the payload, then calls the worker's processor.
 * @throws InvalidPayload, or what the processor throws
 */
export async function runJob<Payload>(
  db: Database,
  definition: JobDefinition<Payload>,
  payload: NoInfer<Payload>,
  options: RunJobOptions = {},
): Promise<JobRun> {
  const { loadProcessors } = await import("@carillon/worker");
  const { log, lines } = captureLog();
  const published: Publication[] = [];
  const mail: Mail[] = [];
  const services: WorkerServices = {
    db,
    site: testSite(),
    log,
    queues: collecting(published),
    mailer: keepingMailer(mail),
    files: testFiles(),
    outgoing: testOutgoing(),
    ...options.services,
  };
  const processors = options.processors ?? (await loadProcessors());
  const processor = processors.find((one) => one.definition.name === definition.name);
  if (!processor) throw new Error(`the job ${definition.name} has no processor`);
  const deadline = new RequestDeadline();
  options.signal?.addEventListener("abort", () => deadline.end(new Error("aborted"), true));
  await processor.process({
    payload: checkPayload<unknown>(definition, payload),
    deadline,
    signal: options.signal ?? deadline.signal,
    log,
    attempt: options.attempt ?? 1,
    again: (options.attempt ?? 1) > 1,
    services,
  });
  return { published, mail, logLines: lines };
}

/** Records published jobs, without a store. */
function collecting(published: Publication[]): Queues {
  const none = (): never => {
    throw new Error("this job runs without queues; give it real ones in `services`");
  };
  return {
    backend: "postgres",
    publish: async (items) => {
      published.push(...(items as readonly Publication[]));
    },
    pauseFor: async () => {},
    worker: none,
    queue: none,
    bullQueues: none,
    close: async () => {},
  };
}

export interface TestWorkerOptions {
  readonly services?: Partial<WorkerServices>;
  /** Default: the jobs of the processors, so that a missing processor fails one test only. */
  readonly definitions?: readonly JobDefinition[];
  /** Default: the worker's processors. */
  readonly processors?: readonly AnyProcessor[];
}

/** A worker in this process: the runner only; tests call relay and sweep directly. */
export interface TestWorker {
  readonly services: WorkerServices;
  readonly runner: Runner;
  readonly logLines: LogLine[];
  /** Mail sent by the default mailer. */
  readonly mail: readonly Mail[];
  /** Stops the worker; running jobs get `graceMs` milliseconds, 5,000 by default. */
  close(graceMs?: number): Promise<void>;
}

/** Starts a worker on the queues. */
export async function startWorker(
  db: Database,
  queues: Queues,
  options: TestWorkerOptions = {},
): Promise<TestWorker> {
  const { loadProcessors, startRunner } = await import("@carillon/worker");
  const { log, lines } = captureLog();
  const mail: Mail[] = [];
  const services: WorkerServices = {
    db,
    queues,
    site: testSite(),
    log,
    mailer: keepingMailer(mail),
    files: testFiles(),
    outgoing: testOutgoing(),
    ...options.services,
  };
  const processors = options.processors ?? (await loadProcessors());
  const runner = startRunner({
    definitions: options.definitions ?? processors.map((processor) => processor.definition),
    processors,
    services,
  });
  return {
    services,
    runner,
    mail,
    logLines: lines,
    close: (graceMs = 5_000) => runner.close(graceMs),
  };
}

/** A worker for the tests of the enclosing `describe`; call it after `useQueues`. */
export function useWorker(db: Database, queues: Queues, options?: TestWorkerOptions): TestWorker {
  const { value, set } = later<TestWorker>("the worker");
  let worker: TestWorker | undefined;
  before("start a worker", async () => {
    worker = await startWorker(db, queues, options);
    set(worker);
  });
  after("stop the worker", async () => {
    set(undefined);
    await worker?.close();
  });
  return value;
}
