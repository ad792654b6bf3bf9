import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { worryingSkew } from "./clock-skew.ts";
import {
  latenessBounds,
  outboxLateAfter,
  overdueAfter,
  severities,
  standbyBehindAfter,
  type Trouble,
} from "./verdict.ts";

const rules = new URL("../../../../deploy/prometheus/alerts.yml", import.meta.url);

/** Name and expression of the alert for each trouble of the verdict; null if only the page shows it. */
const alerts: Readonly<Record<Trouble, { readonly name: string; readonly asks: string } | null>> = {
  database: { name: "CarillonStoreAway", asks: "min by (store) (carillon_store_up) == 0" },
  queues: { name: "CarillonStoreAway", asks: "min by (store) (carillon_store_up) == 0" },
  unread: null,
  "standby-missing": {
    name: "CarillonStandbyMissing",
    asks: 'max(carillon_standbys{state="missing"}) > 0',
  },
  "process-missing": {
    name: "CarillonNoProcess",
    asks: 'max by (role) (carillon_processes{role=~"gateway|worker"}) == 0',
  },
  overdue: {
    name: "CarillonDeliveriesWait",
    asks: `max(carillon_due_lag_seconds) > ${overdueAfter}`,
  },
  failed: {
    name: "CarillonDeliveriesFail",
    asks: 'carillon_failures_unacknowledged{fault="server"} > 0',
  },
  late: {
    name: "CarillonDeliveriesLate",
    asks: `carillon_recent_delivery_lateness_seconds{statistic="p95"} > ${latenessBounds.p95} or carillon_recent_delivery_lateness_seconds{statistic="worst"} > ${latenessBounds.worst}`,
  },
  files: { name: "CarillonFileStoreAway", asks: "min(carillon_file_store_up) == 0" },
  refused: {
    name: "CarillonDeliveriesRefused",
    asks: 'carillon_failures_unacknowledged{fault="people"} > 0',
  },
  "process-lost": null,
  "standby-behind": {
    name: "CarillonStandbyBehind",
    asks: `max(carillon_standby_behind_seconds) > ${standbyBehindAfter}`,
  },
  outbox: {
    name: "CarillonOutboxWaits",
    asks: `max(carillon_outbox_oldest_seconds) > ${outboxLateAfter}`,
  },
  "dead-letters": { name: "CarillonDeadLetters", asks: "max(carillon_dead_letters) > 0" },
  bouncer: { name: "CarillonBouncerAway", asks: "max(carillon_bouncer_circuit) == 1" },
  clock: {
    name: "CarillonClocksApart",
    asks: `abs(carillon_clock_skew_seconds) > ${worryingSkew}`,
  },
};

describe("the alert rules of Prometheus", () => {
  it("have the conditions and severities of the dashboard's verdict", async () => {
    const text = await readFile(fileURLToPath(rules), "utf8");
    for (const [trouble, alert] of Object.entries(alerts)) {
      if (!alert) continue;
      const [, rule = ""] = text.split(`- alert: ${alert.name}\n`);
      const [, expression] = /expr: (["'])(.*)\1\n/.exec(rule)?.slice(1) ?? [];
      const severity = /severity: (\w+)/.exec(rule)?.[1];
      expect([alert.name, expression, severity], trouble).to.deep.equal([
        alert.name,
        alert.asks,
        severities[trouble as Trouble],
      ]);
    }
  });
});
