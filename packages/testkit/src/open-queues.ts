import { connectQueues, type QueueConfig, type Queues } from "@carillon/queue";

/** How long running jobs of a worker that nobody has closed may still take, in milliseconds. */
const graceMs = 5_000;

/** The ways of a suite to its queues. */
export interface OpenQueues {
  readonly connect: (overrides?: Partial<QueueConfig>) => Promise<Queues>;
  /**
   * Closes them, and first the workers that are still open, as after a test that failed half way: a worker without
   * its connections asks for jobs in a loop that lets nothing else in the process run.
   */
  readonly close: () => Promise<void>;
}

export function openQueues(config: QueueConfig): OpenQueues {
  const open: Queues[] = [];
  const workers: Array<ReturnType<Queues["worker"]>> = [];
  return {
    connect: async (overrides = {}) => {
      const queues = await connectQueues({ ...config, ...overrides });
      open.push(queues);
      return {
        ...queues,
        worker(...given) {
          const worker = queues.worker(...given);
          workers.push(worker);
          return worker;
        },
      };
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close(graceMs)));
      await Promise.all(open.map((queues) => queues.close()));
    },
  };
}
