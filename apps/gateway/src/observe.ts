import type { Database } from "@carillon/db";
import type { EventHub } from "@carillon/events";
import type { WatchedStore } from "@carillon/files";
import {
  countByLabels,
  countFrom,
  createRegistry,
  gauge,
  histogram,
  measureFileStore,
  measureRequests,
  serveProbes,
  type Environment,
  type Logger,
  type Shutdown,
} from "@carillon/kit";
import type { GroupCommit } from "./group-commit/group-commit.ts";
import { measureEvents } from "./measure-events.ts";
import type { Limits } from "./limits/open-limits.ts";
import type { KeyedRequests } from "./http/keyed-requests.ts";
import type { RequestRecord } from "./http/request-log.ts";
import type { Visits } from "./visits.ts";
import type { WebhookCounts } from "./webhooks/counts.ts";

/** The counters of the gateway, for its heartbeat and its metrics. */
export interface RequestObserver {
  readonly onRequest: (record: RequestRecord) => void;
  /** For the heartbeat. */
  readonly counters: () => object;
}

/**
 * Collects the counters of the heartbeat, and with `METRICS_PORT` serves health and metrics.
 * @param missed what did not reach the queue in time, by kind
 * @throws StartupError naming METRICS_PORT when that cannot be listened on
 */
export async function observeGateway(
  parts: {
    env: Environment;
    log: Logger;
    db: Database;
    events: Pick<EventHub<unknown>, "counters">;
    limits: Pick<Limits, "failures">;
    files: Pick<WatchedStore, "isUnavailable" | "counts">;
    group: Pick<GroupCommit, "waiting" | "onBegin">;
    keyed: Pick<KeyedRequests, "counts">;
    visits: Pick<Visits, "returns">;
    webhooks: Pick<WebhookCounts, "read">;
    missed: () => Readonly<Record<string, number>>;
  },
  shutdown: Shutdown,
): Promise<RequestObserver> {
  const { env, log, db, events, limits, files, group, keyed, visits, webhooks, missed } = parts;
  const counters = { requests: 0, errors: 0 };
  const all = () => ({
    ...counters,
    ...missed(),
    polls: events.counters.polls,
    filesAway: Number(files.isUnavailable),
  });
  const count = ({ status }: RequestRecord) => {
    counters.requests++;
    if (status >= 500) counters.errors++;
  };
  if (env.METRICS_PORT === undefined) return { onRequest: count, counters: all };

  const registry = createRegistry("gateway");
  countFrom(registry, "carillon_enqueue_missed_total", missed);
  countFrom(registry, "carillon_rate_limit_failures_total", () => ({ store: limits.failures() }));
  countFrom(registry, "carillon_idempotency_keys_total", () => keyed.counts);
  countByLabels(registry, "carillon_incoming_webhooks_total", () => webhooks.read());
  measureFileStore(registry, files);
  countFrom(registry, "carillon_uploads_total", () => {
    const { stored, unavailable, broken } = files.counts;
    return { stored, unavailable, broken };
  });
  countFrom(registry, "carillon_upload_bytes_total", () => ({
    bytes: files.counts.storedBytes,
  }));
  gauge(registry, "carillon_requests_waiting", (waiting) => waiting.set(group.waiting));
  const waits = histogram(registry, "carillon_group_commit_wait_seconds");
  group.onBegin = (seconds) => waits.observe(seconds);
  measureEvents(registry, events);
  gauge(registry, "carillon_returns", (returns) => {
    const { waiting, withTickets } = visits.returns;
    returns.set({ state: "waiting" }, waiting);
    returns.set({ state: "refused" }, withTickets);
  });
  const measure = measureRequests(registry);
  const { METRICS_PORT: port, HOST: host } = env;
  await serveProbes(
    { port, host, registry, pool: db.pool, health: () => db.answers(), log },
    { shutdown, order: 2 },
  );
  return {
    counters: all,
    onRequest: (record) => {
      count(record);
      measure({
        operation: operationOf(record),
        status: record.status,
        seconds: record.ms / 1_000,
      });
    },
  };
}

/**
 * Bounds the number of labels: one for each operation, and one for all other methods of a path, because HTTP has thirty
 * methods.
 */
function operationOf({ path, method, status }: RequestRecord): string {
  if (path === null) return "none";
  return status === 405 ? `other ${path}` : `${method} ${path}`;
}
