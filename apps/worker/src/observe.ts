import type { Database } from "@carillon/db";
import {
  answerWithin,
  counter,
  countFrom,
  createRegistry,
  gauge,
  histogram,
  measureFileStore,
  serveProbes,
  type Environment,
  type Logger,
  type Shutdown,
} from "@carillon/kit";
import type { WatchedStore } from "@carillon/files";
import { fleetMetrics } from "./fleet-metrics.ts";
import type { EndedRun } from "./runner.ts";
import type { CallMade, Delivered } from "./services.ts";

/** Milliseconds for which `/health` waits for the queues. */
const queueAnswerMs = 2_000;

/** Counters of the worker, for its heartbeat and its metrics. */
export interface WorkerObserver {
  readonly onDelivery: (delivery: Delivered) => void;
  readonly onRun: (run: EndedRun) => void;
  readonly onCall: (call: CallMade) => void;
  /** How many messages were sent, and how many failed. */
  counters(): Record<string, number>;
  /** Called once the jobs run. @param all counters of this process */
  serve(all: () => Record<string, number>): Promise<void>;
}

/** Counts for the heartbeat, and serves health and metrics on `METRICS_PORT`. */
export function observeWorker(
  parts: {
    env: Environment;
    log: Logger;
    db: Database;
    files: Pick<WatchedStore, "isUnavailable">;
    /** Rejects if the queues do not answer. */
    pingQueues: () => Promise<unknown>;
  },
  shutdown: Shutdown,
): WorkerObserver {
  const { env, log, db, files, pingQueues } = parts;
  const counters = { sent: 0, notSent: 0 };
  const registry = createRegistry("worker");
  measureFileStore(registry, files);
  const lateness = histogram(registry, "carillon_delivery_lateness_seconds");
  const deliveries = counter(registry, "carillon_deliveries_total");
  // Begins at 0, so that the first failure is an increase.
  for (const reason of ["late", "broken", "stuck"])
    deliveries.inc({ outcome: "failed", reason }, 0);
  const withholdings = counter(registry, "carillon_withheld_total");
  const occurrences = counter(registry, "carillon_series_occurrences_total");
  for (const outcome of ["failed", "missed"]) occurrences.inc({ outcome }, 0);
  const runs = counter(registry, "carillon_jobs_total");
  const calls = counter(registry, "carillon_outgoing_calls_total");
  for (const kind of ["webhook", "events"]) calls.inc({ kind, outcome: "failed" }, 0);
  const callSeconds = histogram(registry, "carillon_outgoing_call_seconds");
  const durations = histogram(registry, "carillon_job_duration_seconds");
  return {
    onDelivery({ sent, failures, withheld, latenessSeconds, ...ended }) {
      counters.sent += sent;
      counters.notSent += failures.length;
      if (sent > 0) deliveries.inc({ outcome: "sent", reason: "" }, sent);
      for (const reason of failures) deliveries.inc({ outcome: "failed", reason });
      for (const kind of withheld) withholdings.inc({ kind });
      for (const outcome of ended.occurrences) occurrences.inc({ outcome });
      for (const seconds of latenessSeconds) lateness.observe(seconds);
    },
    onRun({ name, outcome, seconds }) {
      runs.inc({ name, outcome });
      durations.observe({ name }, seconds);
    },
    onCall({ kind, outcome, seconds }) {
      calls.inc({ kind, outcome });
      if (seconds > 0) callSeconds.observe({ kind }, seconds);
    },
    counters: () => ({ ...counters, filesAway: Number(files.isUnavailable) }),
    async serve(all) {
      if (env.METRICS_PORT === undefined) return;
      gauge(registry, "carillon_jobs_active", (active) => active.set(all()["active"] ?? 0));
      countFrom(registry, "carillon_queue_events_total", () => {
        const { stalled = 0, errors = 0 } = all();
        return { stalled, errors };
      });
      const { METRICS_PORT: port, HOST: host } = env;
      const refresh = fleetMetrics(registry, db);
      const health = async () => {
        await answerWithin(pingQueues(), queueAnswerMs);
        return db.answers();
      };
      await serveProbes(
        { port, host, registry, pool: db.pool, health, refresh, log },
        { shutdown, order: 3 },
      );
    },
  };
}
