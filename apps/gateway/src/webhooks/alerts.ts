import { createHash } from "node:crypto";

import { z } from "zod";

/** Alerts of one request: checking 2,000 takes 20 ms. */
export const maxAlerts = 2_000;

export const alertStatus = z.enum(["firing", "resolved"]);

/** How messages begin, by the status of their alerts. */
export const statusMarks = {
  firing: { mark: "🚨", word: "Firing" },
  resolved: { mark: "✅", word: "Resolved" },
} as const;

/** What tells one firing of an alert from others. */
interface Firing {
  readonly status: "firing" | "resolved";
  readonly labels: Readonly<Record<string, string>>;
  readonly fingerprint?: string | null | undefined;
  readonly startsAt?: string | null | undefined;
}

/**
 * Returns the upsert key of an alert from its beginning to its end: when it fires again it is a new message. A request
 * about the firing that arrives after the one about the end is stale.
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
