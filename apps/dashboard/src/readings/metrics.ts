import { counter, gauge, type Registry } from "@carillon/kit";
import { isServing, sumCounters } from "./processes.ts";
import type { Snapshot } from "./readings.ts";
import { lacksStandby } from "./replication.ts";

/** Roles that are always shown, so that an alert rule can distinguish 0 from unknown. */
const roles = ["gateway", "worker", "dashboard"];

type Update = (snapshot: Snapshot) => void;

/**
 * Creates the gauges from rows and queues. Labels are names of queues, states and roles only, because the page is public.
 * Values that could not be read are omitted.
 * @returns a function that updates them with a snapshot
 */
export function rowMetrics(registry: Registry): Update {
  const updates = [
    storesUp(registry),
    singleValues(registry),
    scheduledMessages(registry),
    unacknowledgedFailures(registry),
    recentLateness(registry),
    queueDepths(registry),
    unusedObjects(registry),
    standbyServers(registry),
    runningProcesses(registry),
    totalsOfCounters(registry),
  ];
  return (snapshot) => {
    for (const update of updates) update(snapshot);
  };
}

function storesUp(registry: Registry): Update {
  const up = gauge(registry, "carillon_store_up");
  return ({ lag, queues }) => {
    up.set({ store: "database" }, lag ? 1 : 0);
    up.set({ store: "queues" }, queues ? 1 : 0);
  };
}

/** Gauges without labels. */
function singleValues(registry: Registry): Update {
  const dueLag = gauge(registry, "carillon_due_lag_seconds");
  const outboxOldest = gauge(registry, "carillon_outbox_oldest_seconds");
  const clockSkew = gauge(registry, "carillon_clock_skew_seconds");
  const failed = gauge(registry, "carillon_scheduled_messages_failed");
  const reminders = gauge(registry, "carillon_reminders_pending");
  const remindersFailed = gauge(registry, "carillon_reminders_failed");
  const intents = gauge(registry, "carillon_intents_pending");
  const dead = gauge(registry, "carillon_dead_letters");
  const circuit = gauge(registry, "carillon_bouncer_circuit");
  const deliveries = gauge(registry, "carillon_recent_deliveries");
  const files = gauge(registry, "carillon_stored_files");
  const bytes = gauge(registry, "carillon_stored_bytes");
  return ({ lag, counts, lateness, storage }) => {
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
      [deliveries, lateness?.deliveries],
      [files, storage?.files],
      [bytes, storage?.bytes],
    ] as const) {
      if (value === undefined) target.remove();
      else target.set(value);
    }
  };
}

function scheduledMessages(registry: Registry): Update {
  const pending = gauge(registry, "carillon_scheduled_messages_pending");
  const series = gauge(registry, "carillon_series");
  return ({ counts }) => {
    pending.reset();
    series.reset();
    if (!counts) return;
    pending.set({ horizon: "within" }, counts.pendingWithin);
    pending.set({ horizon: "after" }, counts.pendingAfter);
    series.set({ state: "active" }, counts.seriesActive);
    series.set({ state: "paused" }, counts.seriesPaused);
    series.set({ state: "ended" }, counts.seriesEnded);
  };
}

function unacknowledgedFailures(registry: Registry): Update {
  const unacknowledged = gauge(registry, "carillon_failures_unacknowledged");
  return ({ failures }) => {
    unacknowledged.reset();
    if (!failures) return;
    for (const fault of ["server", "people"]) unacknowledged.set({ fault }, 0);
    for (const { byServer, count } of failures)
      unacknowledged.inc({ fault: byServer ? "server" : "people" }, count);
  };
}

function recentLateness(registry: Registry): Update {
  const seconds = gauge(registry, "carillon_recent_delivery_lateness_seconds");
  return ({ lateness }) => {
    seconds.reset();
    if (!lateness || lateness.deliveries === 0) return;
    seconds.set({ statistic: "median" }, lateness.median);
    seconds.set({ statistic: "p95" }, lateness.p95);
    seconds.set({ statistic: "worst" }, lateness.max);
  };
}

function queueDepths(registry: Registry): Update {
  const depths = gauge(registry, "carillon_queue_jobs");
  return ({ queues }) => {
    depths.reset();
    for (const [queue, states] of queues ?? []) {
      for (const [state, count] of Object.entries(states)) depths.set({ queue, state }, count);
    }
  };
}

function unusedObjects(registry: Registry): Update {
  const unused = gauge(registry, "carillon_objects_unused");
  return ({ storage }) => {
    unused.reset();
    if (!storage) return;
    unused.set({ state: "waiting" }, storage.waiting);
    unused.set({ state: "overdue" }, storage.overdue);
  };
}

function standbyServers(registry: Registry): Update {
  const standbys = gauge(registry, "carillon_standbys");
  const behindSeconds = gauge(registry, "carillon_standby_behind_seconds");
  const behindBytes = gauge(registry, "carillon_standby_behind_bytes");
  return ({ replication }) => {
    for (const metric of [standbys, behindSeconds, behindBytes]) metric.reset();
    if (!replication) return;
    const { standbys: rows } = replication;
    const count = (isSynchronous: boolean) =>
      rows.filter((row) => row.isSynchronous === isSynchronous).length;
    standbys.set({ state: "synchronous" }, count(true));
    standbys.set({ state: "asynchronous" }, count(false));
    standbys.set({ state: "missing" }, lacksStandby(replication) ? 1 : 0);
    if (rows.length === 0) return;
    behindSeconds.set(Math.max(...rows.map((row) => row.behindSeconds ?? 0)));
    behindBytes.set(Math.max(...rows.map((row) => row.behindBytes ?? 0)));
  };
}

function runningProcesses(registry: Registry): Update {
  const running = gauge(registry, "carillon_processes");
  const processCounters = gauge(registry, "carillon_process_counters");
  return ({ processes }) => {
    running.reset();
    processCounters.reset();
    if (!processes) return;
    for (const role of roles) running.set({ role }, 0);
    for (const { role } of processes.filter(isServing)) running.inc({ role });
    for (const [role, sums] of sumCounters(processes)) {
      for (const [name, sum] of sums) processCounters.set({ role, counter: name }, sum);
    }
  };
}

/** Counters whose values are rows, because all processes add to them. */
function totalsOfCounters(registry: Registry): Update {
  const totals = {
    sweep_repairs: counter(registry, "carillon_sweep_repairs_total"),
    series_repaired: counter(registry, "carillon_series_repaired_total"),
    retention_removals: counter(registry, "carillon_retention_removals_total"),
    unclaimed_files: counter(registry, "carillon_unclaimed_files_total"),
    deleted_objects: counter(registry, "carillon_objects_deleted_total"),
  };
  return ({ counters }) => {
    for (const [name, total] of Object.entries(totals)) {
      // A counter without a row is 0.
      total.remove();
      if (counters) total.inc(counters.get(name) ?? 0);
    }
  };
}
