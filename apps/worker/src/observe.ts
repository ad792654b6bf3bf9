import type { Database } from "@carillon/db";
import {
  countFrom,
  createRegistry,
  histogram,
  measureLoopDelay,
  measureNode,
  measurePools,
  startProbeServer,
  type Environment,
  type Logger,
  type Shutdown,
} from "@carillon/kit";
import type { Delivered } from "./services.ts";

/** What the worker counts, for its heartbeat and its metrics. */
export interface WorkerObserver {
  readonly onDelivery: (delivery: Delivered) => void;
  /** Messages sent and not sent. */
  counters(): Record<string, number>;
  /** Called once the jobs run. @param all counters of this process */
  serve(all: () => Record<string, number>): Promise<void>;
}

/** Seconds; the promise is two. */
const latenessBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 35, 120, 600];

/** Lets the worker be seen: what its heartbeat tells, and with `METRICS_PORT` its own health and metrics. */
export function observeWorker(
  parts: { env: Environment; log: Logger; db: Database },
  shutdown: Shutdown,
): WorkerObserver {
  const { env, log, db } = parts;
  const counters = { sent: 0, notSent: 0 };
  const registry = createRegistry("worker");
  const lateness = histogram(registry, {
    name: "carillon_delivery_lateness_seconds",
    help: "From the time that a message was scheduled for to the commit of its batch",
    buckets: latenessBuckets,
  });
  return {
    onDelivery({ sent, failed, latenessSeconds }) {
      counters.sent += sent;
      counters.notSent += failed;
      for (const seconds of latenessSeconds) lateness.observe(seconds);
    },
    counters: () => ({ ...counters }),
    async serve(all) {
      if (env.METRICS_PORT === undefined) return;
      shutdown.add(2, "loop delay", measureLoopDelay(registry));
      measureNode(registry);
      measurePools(registry, { database: db.pool });
      countFrom(registry, {
        name: "carillon_worker_total",
        help: "Jobs by what became of them, messages sent and not sent",
        label: "what",
        read: () => {
          const { active: _, ...totals } = all();
          return totals;
        },
      });
      const probes = await startProbeServer({
        port: env.METRICS_PORT,
        host: env.HOST,
        registry,
        health: () => db.answers(),
        log,
      });
      shutdown.add(3, "probes", () => probes.close());
    },
  };
}
