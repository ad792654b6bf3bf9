import { counter, gauge, type Registry } from "@carillon/kit";
import { isServing, sumCounters } from "./processes.ts";
import type { Snapshot } from "./readings.ts";
import { lacksStandby } from "./replication.ts";

/** Roles that are always shown, so that an alert rule can distinguish 0 from unknown. */
const roles = ["gateway", "worker", "dashboard"];

/**
 * Creates the gauges from rows and queues. Labels are names of queues, states and roles only, because the page is public.
 * Values that could not be read are omitted.
 * @returns a function that updates them with a snapshot
 */
export function rowMetrics(registry: Registry): (snapshot: Snapshot) => void {
  const up = gauge(registry, "carillon_store_up");
  const dueLag = gauge(registry, "carillon_due_lag_seconds");
  const outboxOldest = gauge(registry, "carillon_outbox_oldest_seconds");
  const clockSkew = gauge(registry, "carillon_clock_skew_seconds");
  const pending = gauge(registry, "carillon_scheduled_messages_pending");
  const failed = gauge(registry, "carillon_scheduled_messages_failed");
  const reminders = gauge(registry, "carillon_reminders_pending");
  const remindersFailed = gauge(registry, "carillon_reminders_failed");
  const failures = gauge(registry, "carillon_failures_unacknowledged");
  const intents = gauge(registry, "carillon_intents_pending");
  const dead = gauge(registry, "carillon_dead_letters");
  const circuit = gauge(registry, "carillon_bouncer_circuit");
  const series = gauge(registry, "carillon_series");
  const lateness = gauge(registry, "carillon_recent_delivery_lateness_seconds");
  const deliveries = gauge(registry, "carillon_recent_deliveries");
  const depths = gauge(registry, "carillon_queue_jobs");
  const files = gauge(registry, "carillon_stored_files");
  const bytes = gauge(registry, "carillon_stored_bytes");
  const unused = gauge(registry, "carillon_objects_unused");
  const standbys = gauge(registry, "carillon_standbys");
  const behindSeconds = gauge(registry, "carillon_standby_behind_seconds");
  const behindBytes = gauge(registry, "carillon_standby_behind_bytes");
  const processes = gauge(registry, "carillon_processes");
  const processCounters = gauge(registry, "carillon_process_counters");
  const totals = {
    sweep_repairs: counter(registry, "carillon_sweep_repairs_total"),
    series_repaired: counter(registry, "carillon_series_repaired_total"),
    retention_removals: counter(registry, "carillon_retention_removals_total"),
    unclaimed_files: counter(registry, "carillon_unclaimed_files_total"),
    deleted_objects: counter(registry, "carillon_objects_deleted_total"),
  };

  return (snapshot) => {
    const { lag, counts, lateness: late, processes: rows, counters, queues, storage } = snapshot;
    const { replication } = snapshot;
    up.set({ store: "database" }, lag ? 1 : 0);
    up.set({ store: "queues" }, queues ? 1 : 0);
    for (const [target, value] of [
      [dueLag, lag?.dueLag],
      [outboxOldest, lag?.outboxOldest],
      [clockSkew, lag?.clockSkew],
      [failed, counts?.failed],
      [reminders, counts?.remindersPending],
      [remindersFailed, counts?.remindersFailed],
      [intents, counts?.intentsPending],
      [dead, counts?.deadLetters],
      [circuit, counts?.bouncerAway],
      [deliveries, late?.deliveries],
      [files, storage?.files],
      [bytes, storage?.bytes],
    ] as const) {
      if (value === undefined) target.remove();
      else target.set(value);
    }

    failures.reset();
    if (snapshot.failures) {
      for (const fault of ["server", "people"]) failures.set({ fault }, 0);
      for (const { byServer, count } of snapshot.failures)
        failures.inc({ fault: byServer ? "server" : "people" }, count);
    }
    unused.reset();
    if (storage) {
      unused.set({ state: "waiting" }, storage.waiting);
      unused.set({ state: "overdue" }, storage.overdue);
    }
    for (const metric of [standbys, behindSeconds, behindBytes]) metric.reset();
    if (replication) {
      const { standbys: rows } = replication;
      const count = (isSynchronous: boolean) =>
        rows.filter((row) => row.isSynchronous === isSynchronous).length;
      standbys.set({ state: "synchronous" }, count(true));
      standbys.set({ state: "asynchronous" }, count(false));
      standbys.set({ state: "missing" }, lacksStandby(replication) ? 1 : 0);
      if (rows.length > 0) {
        behindSeconds.set(Math.max(...rows.map((row) => row.behindSeconds ?? 0)));
        behindBytes.set(Math.max(...rows.map((row) => row.behindBytes ?? 0)));
      }
    }
    pending.reset();
    if (counts) {
      pending.set({ horizon: "within" }, counts.pendingWithin);
      pending.set({ horizon: "after" }, counts.pendingAfter);
    }
    series.reset();
    if (counts) {
      series.set({ state: "active" }, counts.seriesActive);
      series.set({ state: "paused" }, counts.seriesPaused);
      series.set({ state: "ended" }, counts.seriesEnded);
    }
    lateness.reset();
    if (late && late.deliveries > 0) {
      lateness.set({ statistic: "median" }, late.median);
      lateness.set({ statistic: "p95" }, late.p95);
      lateness.set({ statistic: "worst" }, late.max);
    }
    depths.reset();
    for (const [queue, states] of queues ?? []) {
      for (const [state, count] of Object.entries(states)) depths.set({ queue, state }, count);
    }
    processes.reset();
    processCounters.reset();
    if (rows) {
      for (const role of roles) processes.set({ role }, 0);
      for (const { role } of rows.filter(isServing)) processes.inc({ role });
      for (const [role, sums] of sumCounters(rows)) {
        for (const [name, sum] of sums) processCounters.set({ role, counter: name }, sum);
      }
    }
    for (const [name, total] of Object.entries(totals)) {
      // A counter without a row is 0.
      total.remove();
      if (counters) total.inc(counters.get(name) ?? 0);
    }
  };
}
