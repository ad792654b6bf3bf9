import { connectQueues, type QueueConfig, type Queues } from "@carillon/queue";

/** Grace time of running jobs when an unclosed worker is closed, in milliseconds. */
const graceMs = 5_000;

/** The queue connections of a suite. */
export interface OpenQueues {
  readonly connect: (overrides?: Partial<QueueConfig>) => Promise<Queues>;
  /**
   * Closes workers that are still open, then the connections. A worker without connections would poll in a loop that blocks
   * the process.
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
