import { createHash } from "node:crypto";

import * as z from "zod";

/** Maximum alerts of one request: checking 2,000 takes 20 ms. */
export const maxAlerts = 2_000;

export const alertStatus = z.enum(["firing", "resolved"]);

/** How messages begin, by the status of their alerts. */
export const statusMarks = {
  firing: { mark: "🚨", word: "Firing" },
  resolved: { mark: "✅", word: "Resolved" },
} as const;

/** Identifies one firing of an alert. */
interface Firing {
  readonly status: "firing" | "resolved";
  readonly labels: Readonly<Record<string, string>>;
  readonly fingerprint?: string | null | undefined;
  readonly startsAt?: string | null | undefined;
}

/**
 * Returns the upsert key of one firing of an alert, so that an alert that fires again gets a new message. The version makes
 * a firing request stale that arrives after the resolved one.
 */
export function alertKey({ status, labels, fingerprint, startsAt }: Firing) {
  const identity = fingerprint || JSON.stringify(sortedEntries(labels));
  const digest = createHash("sha256").update(JSON.stringify([identity, startsAt ?? ""]));
  return {
    key: `alert ${digest.digest("hex").slice(0, 32)}`,
    version: status === "firing" ? 1 : 2,
  };
}

/** Returns the names and values of an object, by name. */
export function sortedEntries<Value>(
  of: Readonly<Record<string, Value>>,
): Array<readonly [string, Value]> {
  return Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1));
}
