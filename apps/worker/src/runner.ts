import { queues as queueTable, type JobDefinition, type QueueName } from "@carillon/jobs";
import { HandBack, type Run, type WorkerHandle } from "@carillon/queue";
import { completeProcessors, type AnyProcessor } from "./processor.ts";
import { RunningJobs } from "./running-jobs.ts";
import type { WorkerServices } from "./services.ts";

export interface RunnerOptions {
  readonly definitions: readonly JobDefinition[];
  readonly processors: readonly AnyProcessor[];
  /** Given to every processor; its queues hold the jobs. */
  readonly services: WorkerServices;
  /** Called after every run, for the metrics. */
  readonly onRun?: (run: EndedRun) => void;
}

/** How a run of a job ended; a job that was handed back runs again. */
export interface EndedRun {
  readonly name: string;
  readonly outcome: "completed" | "failed" | "handed back";
  readonly seconds: number;
}

/** Counts of this process since its start, for the heartbeat and the metrics. */
export interface RunnerCounters {
  active: number;
  completed: number;
  failed: number;
  stalled: number;
  errors: number;
}

export interface Runner {
  counters(): RunnerCounters;
  /** How many runs have begun, by queue. */
  begun(): ReadonlyMap<QueueName, number>;
  /** The store's errors when workers last tried to take a job, by queue; only queues with an error. */
  refusals(): ReadonlyMap<QueueName, string>;
  /**
   * Takes no new job and waits `graceMs` for running ones; then asks them to stop, and hands back those that have not
   * stopped 2 s later. Resolves within `graceMs` + 3 s, even if a job or the queues' store hangs.
   */
  close(graceMs: number): Promise<void>;
}

/** Milliseconds that a job may take to stop when it was asked to. */
const stopMs = 2_000;

/**
 * Starts one worker for each queue that has jobs.
 * @throws StartupError when definitions and processors do not match one to one
 */
export function startRunner({ definitions, processors, services, onRun }: RunnerOptions): Runner {
  const { queues, log } = services;
  const byName = completeProcessors(definitions, processors);
  const running = new RunningJobs({ services, stopMs });

  const run = async (given: Run): Promise<void> => {
    const processor = byName.get(given.name);
    // An older worker may receive a job of a newer release: it stays in the queue for the newer workers.
    if (!processor)
      throw new Error(`this worker does not know the job ${given.name}; is it outdated?`);
    const began = performance.now();
    const ended = (outcome: EndedRun["outcome"]) =>
      onRun?.({ name: given.name, outcome, seconds: (performance.now() - began) / 1_000 });
    try {
      await running.run(processor, given);
      ended("completed");
    } catch (error) {
      ended(error instanceof HandBack ? "handed back" : "failed");
      throw error;
    }
  };

  const used = [...new Set(definitions.map((definition) => definition.queue))];
  const workers = used.map((queue) =>
    queues.worker(queue, {
      definitions: definitions.filter((definition) => definition.queue === queue),
      concurrency: queueTable[queue].concurrency,
      log,
      run,
    }),
  );
  let closing: Promise<void> | undefined;

  return {
    refusals: () =>
      new Map(
        workers.flatMap(({ queue, refusal }) => (refusal === undefined ? [] : [[queue, refusal]])),
      ),
    begun: () => new Map(workers.map((worker) => [worker.queue, worker.begun])),
    counters: () => ({ active: running.size, ...total(workers) }),
    close: (graceMs) => (closing ??= closeWithin(graceMs)),
  };

  async function closeWithin(graceMs: number): Promise<void> {
    if (await closeWorkers(graceMs)) return;
    log.warn({ jobs: running.ids() }, "jobs are still running; telling them to stop");
    running.stop();
    if (await closeWorkers(stopMs + 1_000)) return;
    log.error(
      { jobs: running.ids() },
      "workers did not close in time; their jobs run again elsewhere",
    );
  }

  async function closeWorkers(limitMs: number): Promise<boolean> {
    const closed = await Promise.all(workers.map((worker) => worker.close(limitMs)));
    return closed.every(Boolean);
  }
}

function total(workers: readonly WorkerHandle[]): Omit<RunnerCounters, "active"> {
  const sum = { completed: 0, failed: 0, stalled: 0, errors: 0 };
  for (const { counters } of workers) {
    sum.completed += counters.completed;
    sum.failed += counters.failed;
    sum.stalled += counters.stalled;
    sum.errors += counters.errors;
  }
  return sum;
}
