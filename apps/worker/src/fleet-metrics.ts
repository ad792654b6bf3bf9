import { readOutgoing, subscriptionLag } from "@carillon/domain";
import { readFleet } from "@carillon/scheduling";
import type { Sql } from "@carillon/db";
import { cached, counter, gauge, type Registry } from "@carillon/kit";

/** Roles that are always exported, so that an alerting rule can distinguish "none" from "unknown". */
const roles = ["gateway", "worker", "dashboard"];

/**
 * Registers the metrics of the whole installation that alerting rules read, so that the rules work without the dashboard.
 * Leaves out values that could not be read instead of repeating old ones.
 * @returns a function that refreshes them; it never rejects
 */
export function fleetMetrics(registry: Registry, sql: Sql): () => Promise<void> {
  const up = gauge(registry, "carillon_store_up");
  const processes = gauge(registry, "carillon_processes");
  const dueLag = gauge(registry, "carillon_due_lag_seconds");
  const outboxOldest = gauge(registry, "carillon_outbox_oldest_seconds");
  const dead = gauge(registry, "carillon_dead_letters");
  const circuit = gauge(registry, "carillon_bouncer_circuit");
  const waiting = gauge(registry, "carillon_outgoing_waiting");
  const oldestCall = gauge(registry, "carillon_outgoing_oldest_seconds");
  const open = gauge(registry, "carillon_outgoing_circuits_open");
  const lag = gauge(registry, "carillon_subscription_lag_seconds");
  const recreated = counter(registry, "carillon_sweep_repairs_total");
  const repaired = counter(registry, "carillon_series_repaired_total");
  const read = cached(() => readFleet(sql));
  const readCalls = cached(() => readOutgoing(sql));
  const readLag = cached(() => subscriptionLag(sql));
  return async () => {
    const [fleet, calls, lagSeconds] = await Promise.all([
      read().catch(() => undefined),
      readCalls().catch(() => undefined),
      readLag().catch(() => undefined),
    ]);
    up.set({ store: "database" }, fleet ? 1 : 0);
    for (const [target, value] of [
      [dueLag, fleet?.lag.dueLag],
      [outboxOldest, fleet?.lag.outboxOldest],
      [dead, fleet?.deadLetters],
      [circuit, fleet?.bouncerAway],
      [waiting, calls?.waiting],
      [oldestCall, calls?.oldestSeconds],
      [open, calls?.circuitsOpen],
      [lag, lagSeconds],
    ] as const) {
      if (value === undefined) target.remove();
      else target.set(value);
    }
    processes.reset();
    if (fleet) for (const role of roles) processes.set({ role }, fleet.processes.get(role) ?? 0);
    recreated.remove();
    repaired.remove();
    if (!fleet) return;
    recreated.inc(fleet.sweepRepairs);
    repaired.inc(fleet.seriesRepaired);
  };
}
