import { RequestDeadline, type Database } from "@carillon/db";
import { checkPayload, type JobDefinition, type Publication } from "@carillon/jobs";
import type { Queues } from "@carillon/queue";
import type { Mail } from "@carillon/mail";
import type { AnyProcessor, Runner, WorkerServices } from "@carillon/worker";
import { later } from "./later.ts";
import { captureLog, type LogLine } from "./log-capture.ts";
import { keepingMailer } from "./mail.ts";
import { testSite } from "./site.ts";

export interface RunJobOptions {
  /** Over the tests' own. */
  readonly services?: Partial<WorkerServices>;
  /** Default: those of the worker. */
  readonly processors?: readonly AnyProcessor[];
  readonly signal?: AbortSignal;
  /** 1 unless given. */
  readonly attempt?: number;
}

/** Result of a job. */
export interface JobRun {
  /** Mail that it has sent, unless by a mailer of the test's. */
  readonly mail: readonly Mail[];
  /** Jobs that it would have published. */
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
    rest: async () => {},
    worker: none,
    queue: none,
    bullQueues: none,
    close: async () => {},
  };
}

export interface TestWorkerOptions {
  readonly services?: Partial<WorkerServices>;
  /** Default: the jobs of the processors, so that a job without one fails one test and not all. */
  readonly definitions?: readonly JobDefinition[];
  /** Default: those of the worker. */
  readonly processors?: readonly AnyProcessor[];
}

/** A worker in this process: the runner only; tests call relay and sweep themselves. */
export interface TestWorker {
  readonly services: WorkerServices;
  readonly runner: Runner;
  readonly logLines: LogLine[];
  /** What it has sent, unless by a mailer of the test's. */
  readonly mail: readonly Mail[];
  /** Gives running jobs `graceMs` milliseconds, 5,000 unless given. */
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
