import { counter, gauge, type Counter, type Registry } from "@carillon/kit";
import { isAlive, sumCounters } from "./processes.ts";
import type { Snapshot } from "./readings.ts";

/** Roles that are always shown, so that an alarm rule can tell "none" from "unknown". */
const roles = ["gateway", "worker", "dashboard"];

/** Counters of the database that are 0 before anything was added to them. */
const knownCounters = ["sweep_repairs", "retention_removals"];

/**
 * The gauges that come from rows and queues. Labels are names of queues, states and roles only: the page is open.
 * What could not be read is left out rather than shown as it was.
 * @returns what puts a snapshot into them
 */
export function rowMetrics(registry: Registry): (snapshot: Snapshot) => void {
  const single = (name: string, help: string) =>
    gauge(registry, { name: `carillon_${name}`, help });
  const up = gauge(registry, {
    name: "carillon_store_up",
    help: "1 when the store answers, 0 when it does not",
    labelNames: ["store"],
  });
  const dueLag = single(
    "due_lag_seconds",
    "How long the oldest due message or reminder has been waiting",
  );
  const outboxOldest = single(
    "outbox_oldest_seconds",
    "How long the oldest row has been waiting to get into a queue",
  );
  const clockSkew = single(
    "clock_skew_seconds",
    "How far the database's clock is ahead of the dashboard's",
  );
  const pending = gauge(registry, {
    name: "carillon_scheduled_messages_pending",
    help: "Scheduled messages that are to be sent: within 24 hours, after that",
    labelNames: ["horizon"],
  });
  const failed = single("scheduled_messages_failed", "Scheduled messages that could not be sent");
  const reminders = single("reminders_pending", "Reminders that are to be sent");
  const remindersFailed = single("reminders_failed", "Reminders that could not be sent");
  const intents = single("intents_pending", "Background work that is to be done");
  const dead = single("dead_letters", "Background work that was given up");
  const circuit = single(
    "bouncer_circuit",
    "1 while the push bouncer does not answer and is left alone, else 0",
  );
  const lateness = gauge(registry, {
    name: "carillon_recent_delivery_lateness_seconds",
    help: "How late the scheduled messages and reminders of the last hour were sent, of the latest thousand",
    labelNames: ["quantile"],
  });
  const deliveries = single(
    "recent_deliveries",
    "Scheduled messages and reminders sent in the last hour, counted up to a thousand",
  );
  const depths = gauge(registry, {
    name: "carillon_queue_jobs",
    help: "Jobs in the queues, by state",
    labelNames: ["queue", "state"],
  });
  const processes = gauge(registry, {
    name: "carillon_processes",
    help: "Processes whose heartbeat is not older than 20 seconds",
    labelNames: ["role"],
  });
  const processCounters = gauge(registry, {
    name: "carillon_process_counters",
    help: "What the living processes count of themselves, added up; falls when one ends",
    labelNames: ["role", "counter"],
  });
  const totals = new Map<string, Counter>();
  const total = (name: string) => {
    const made =
      totals.get(name) ??
      counter(registry, {
        name: `carillon_${name}_total`,
        help: "Counted in the database, by all processes together",
      });
    totals.set(name, made);
    return made;
  };

  return ({ lag, counts, lateness: late, processes: rows, counters, queues }) => {
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
    ] as const) {
      if (value === undefined) target.remove();
      else target.set(value);
    }

    pending.reset();
    if (counts) {
      pending.set({ horizon: "within" }, counts.pendingWithin);
      pending.set({ horizon: "after" }, counts.pendingAfter);
    }
    lateness.reset();
    if (late && late.deliveries > 0) {
      lateness.set({ quantile: "0.5" }, late.median);
      lateness.set({ quantile: "0.95" }, late.p95);
      lateness.set({ quantile: "1" }, late.max);
    }
    depths.reset();
    for (const [queue, states] of queues ?? []) {
      for (const [state, count] of Object.entries(states)) depths.set({ queue, state }, count);
    }
    processes.reset();
    processCounters.reset();
    if (rows) {
      for (const role of roles) processes.set({ role }, 0);
      for (const { role } of rows.filter(isAlive)) processes.inc({ role });
      for (const [role, sums] of sumCounters(rows)) {
        for (const [name, sum] of sums) processCounters.set({ role, counter: name }, sum);
      }
    }
    for (const made of totals.values()) made.remove();
    if (counters) {
      for (const name of knownCounters) total(name).inc(0);
      for (const [name, value] of counters) {
        if (/^[a-z][a-z0-9_]*$/.test(name)) total(name).inc(value);
      }
    }
  };
}
