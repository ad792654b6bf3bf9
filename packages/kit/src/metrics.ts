import { readFileSync } from "node:fs";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

import {
  declaredMetrics,
  type LabelOf,
  type MeasuredRole,
  type MetricName,
} from "./declared-metrics.ts";

export type { Counter, Gauge, Histogram, Registry };

/** The media type of `registry.metrics()`: Prometheus text. */
export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** Creates the registry of one process, with its build info. */
export function createRegistry(role: MeasuredRole): Registry {
  const registry = new Registry();
  gauge(registry, "carillon_build_info").set({ role, version: buildVersion() }, 1);
  return registry;
}

/** Reads the version of this build from the package. */
function buildVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/**
 * Default metrics of the library that iterate over every open connection at each scrape: with 10,000 of them they
 * blocked the event loop for 50 ms, and a gateway has one connection for each poll.
 */
const tooSlow = [
  "process_open_fds",
  "nodejs_active_handles",
  "nodejs_active_handles_total",
  "nodejs_active_requests",
  "nodejs_active_requests_total",
  "nodejs_active_resources",
  "nodejs_active_resources_total",
];

/** Default metrics that each scrape resets, so that two scrapers would see half each; our own histogram says more. */
const resetByScrapes = ["min", "max", "mean", "stddev", "p50", "p90", "p99"].map(
  (name) => `nodejs_eventloop_lag_${name}_seconds`,
);

/**
 * Adds the library's default metrics of Node processes, under the names that Grafana boards for Node know
 * (`process_…`, `nodejs_…`: heap spaces, garbage collection, limits, version). Call it once in a process: the
 * collection never stops.
 */
export function measureNode(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of [...tooSlow, ...resetByScrapes]) registry.removeSingleMetric(name);
}

/** How often the event loop delay is measured, in milliseconds. */
const loopStepMs = 50;

/**
 * Measures `carillon_loop_delay_seconds`: how much later than scheduled a timer fires.
 * @returns a function that stops the measurement
 */
export function measureLoopDelay(registry: Registry): () => void {
  const delays = histogram(registry, "carillon_loop_delay_seconds");
  let expected = performance.now() + loopStepMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - expected) / 1_000);
    expected = now + loopStepMs;
  }, loopStepMs).unref();
  return () => clearInterval(timer);
}

/** Measures `carillon_file_store_up`. */
export function measureFileStore(
  registry: Registry,
  store: { readonly isUnavailable: boolean },
): void {
  gauge(registry, "carillon_file_store_up", (up) => up.set(store.isUnavailable ? 0 : 1));
}

/** The figures that are measured of a connection pool; a `pg.Pool` has them. */
export interface MeasuredPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Measures `carillon_pool_waiting` and `carillon_pool_connections`, labelled with the given names of the pools. */
export function measurePools(
  registry: Registry,
  pools: Readonly<Record<string, MeasuredPool>>,
): void {
  gauge(registry, "carillon_pool_waiting", (waiting) => {
    for (const [name, pool] of Object.entries(pools))
      waiting.set({ pool: name }, pool.waitingCount);
  });
  gauge(registry, "carillon_pool_connections", (connections) => {
    for (const [name, { totalCount, idleCount }] of Object.entries(pools)) {
      connections.set({ pool: name, state: "busy" }, totalCount - idleCount);
      connections.set({ pool: name, state: "idle" }, idleCount);
    }
  });
}

/** One answered request. `operation` is a declared name, never a path: every value is a time series in Prometheus. */
export interface MeasuredRequest {
  readonly operation: string;
  readonly status: number;
  readonly seconds: number;
}

/**
 * Measures `carillon_http_requests_total` and `carillon_http_request_seconds`.
 * @returns a function that records one request
 */
export function measureRequests(registry: Registry): (request: MeasuredRequest) => void {
  const requests = counter(registry, "carillon_http_requests_total");
  const seconds = histogram(registry, "carillon_http_request_seconds");
  return (request) => {
    const { operation, status } = request;
    requests.inc({ operation, status });
    seconds.observe({ operation }, request.seconds);
  };
}

/**
 * Exports counts kept elsewhere, such as those of the heartbeat, by the metric's only label; or their sum, if the metric has
 * no label. They must only rise.
 */
export function countFrom<Name extends MetricName<"counter">>(
  registry: Registry,
  name: Name,
  read: () => Readonly<Record<string, number>>,
): void {
  const { help, labels } = declaredMetrics[name];
  const [label] = labels;
  const counts: Counter = new Counter({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      counts.reset();
      for (const [value, count] of Object.entries(read()))
        counts.inc(label === undefined ? {} : { [label]: value }, count);
    },
  });
}

/** Exports counts that have several labels. */
export function countByLabels<Name extends MetricName<"counter">>(
  registry: Registry,
  name: Name,
  read: () => Iterable<{
    readonly labels: Readonly<Record<LabelOf<Name>, string>>;
    readonly count: number;
  }>,
): void {
  const counts: Counter = new Counter({
    ...configuration(registry, name),
    collect() {
      counts.reset();
      for (const { labels, count } of read()) counts.inc(labels, count);
    },
  });
}

function configuration<Name extends MetricName>(registry: Registry, name: Name) {
  const { help, labels } = declaredMetrics[name];
  // The library's own constructors register a metric globally unless a registry is given.
  const labelNames = [...labels] as Array<LabelOf<Name>>;
  return { name, help, labelNames, registers: [registry] };
}

/**
 * Creates a declared gauge in the registry.
 * @param collect called at each scrape
 */
export function gauge<Name extends MetricName<"gauge">>(
  registry: Registry,
  name: Name,
  collect?: (gauge: Gauge<LabelOf<Name>>) => void,
): Gauge<LabelOf<Name>> {
  const made: Gauge<LabelOf<Name>> = new Gauge<LabelOf<Name>>({
    ...configuration(registry, name),
    ...(collect && { collect: () => collect(made) }),
  });
  return made;
}

/** Creates a declared counter in the registry. */
export function counter<Name extends MetricName<"counter">>(
  registry: Registry,
  name: Name,
): Counter<LabelOf<Name>> {
  return new Counter<LabelOf<Name>>(configuration(registry, name));
}

/** Creates a declared histogram in the registry, with the buckets of its declaration. */
export function histogram<Name extends MetricName<"histogram">>(
  registry: Registry,
  name: Name,
): Histogram<LabelOf<Name>> {
  const { buckets } = declaredMetrics[name];
  return new Histogram<LabelOf<Name>>({ ...configuration(registry, name), buckets: [...buckets] });
}
