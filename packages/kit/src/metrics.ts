import { monitorEventLoopDelay } from "node:perf_hooks";
import {
  Counter,
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
  type CounterConfiguration,
  type GaugeConfiguration,
  type HistogramConfiguration,
} from "prom-client";

export type { Counter, Gauge, Histogram, Registry };

/** The media type of `registry.metrics()`: Prometheus text. */
export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** The metrics of one process, with what every process tells of itself: role, start, processor time, memory. */
export function createRegistry(role: string): Registry {
  const registry = new Registry();
  gauge(registry, {
    name: "carillon_process_info",
    help: "1, with the role of this process",
    labelNames: ["role"],
  }).set({ role }, 1);
  gauge(registry, {
    name: "carillon_process_start_time_seconds",
    help: "When this process started, in UNIX seconds",
  }).set(Date.now() / 1_000 - process.uptime());
  gauge(registry, {
    name: "carillon_process_memory_bytes",
    help: "Memory of this process: resident, and the JavaScript heap in it",
    labelNames: ["kind"],
    collect() {
      const { rss, heapUsed } = process.memoryUsage();
      this.set({ kind: "resident" }, rss);
      this.set({ kind: "heap" }, heapUsed);
    },
  });
  countFrom(registry, {
    name: "carillon_process_cpu_seconds_total",
    help: "Processor time of this process",
    label: "mode",
    read() {
      const { user, system } = process.cpuUsage();
      return { user: user / 1e6, system: system / 1e6 };
    },
  });
  return registry;
}

/**
 * Those of the library's own metrics that look at every open connection at each scrape: with 10,000 of them they held
 * the event loop for 50 ms in one piece, and a gateway has one for each poll.
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

/**
 * What the library tells of every Node process, under the names that boards for Node know (`process_…`, `nodejs_…`:
 * heap spaces, garbage collection, limits, version), beside our own. Once a process: it goes on until that ends.
 */
export function measureNode(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of tooSlow) registry.removeSingleMetric(name);
}

/** Steps in which the delay of the event loop is measured, in milliseconds. */
const loopStepMs = 10;

/**
 * `carillon_loop_delay_seconds`: how much later than asked the event loop came round, since the last scrape.
 * @returns what stops the measuring
 */
export function measureLoopDelay(registry: Registry): () => void {
  const delays = monitorEventLoopDelay({ resolution: loopStepMs });
  delays.enable();
  gauge(registry, {
    name: "carillon_loop_delay_seconds",
    help: "Delay of the event loop since the last scrape; quantile 1 is the longest",
    labelNames: ["quantile"],
    collect() {
      for (const quantile of [0.5, 0.99, 1]) {
        const nanoseconds = delays.count === 0 ? 0 : delays.percentile(quantile * 100);
        // What is recorded is the time between two steps, the step itself included.
        this.set({ quantile }, Math.max(0, nanoseconds / 1e9 - loopStepMs / 1e3));
      }
      delays.reset();
    },
  });
  return () => delays.disable();
}

/** What is measured of a pool of connections; `pg.Pool` has it. */
export interface MeasuredPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** `carillon_pool_waiting` and `carillon_pool_connections`, by the names that are given to the pools. */
export function measurePools(
  registry: Registry,
  pools: Readonly<Record<string, MeasuredPool>>,
): void {
  gauge(registry, {
    name: "carillon_pool_waiting",
    help: "Statements that wait for a connection",
    labelNames: ["pool"],
    collect() {
      for (const [name, pool] of Object.entries(pools)) this.set({ pool: name }, pool.waitingCount);
    },
  });
  gauge(registry, {
    name: "carillon_pool_connections",
    help: "Open connections",
    labelNames: ["pool", "state"],
    collect() {
      for (const [name, { totalCount, idleCount }] of Object.entries(pools)) {
        this.set({ pool: name, state: "busy" }, totalCount - idleCount);
        this.set({ pool: name, state: "idle" }, idleCount);
      }
    },
  });
}

/** One answered request. `operation` is a declared name, never a path: every value is a row in Prometheus. */
export interface MeasuredRequest {
  readonly operation: string;
  readonly status: number;
  readonly seconds: number;
}

/** `carillon_http_requests_total` and `carillon_http_request_seconds`; returns what records one request. */
export function measureRequests(registry: Registry): (request: MeasuredRequest) => void {
  const requests = counter(registry, {
    name: "carillon_http_requests_total",
    help: "Answered requests",
    labelNames: ["operation", "status"],
  });
  const seconds = histogram(registry, {
    name: "carillon_http_request_seconds",
    help: "Time from the head of a request to the end of its answer",
    labelNames: ["operation"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  });
  return (request) => {
    const { operation, status } = request;
    requests.inc({ operation, status });
    seconds.observe({ operation }, request.seconds);
  };
}

/** Counts that something else keeps, such as those of the heartbeat, by one label. They must only rise. */
export function countFrom(
  registry: Registry,
  options: {
    name: string;
    help: string;
    label: string;
    read: () => Readonly<Record<string, number>>;
  },
): void {
  const { name, help, label, read } = options;
  counter(registry, {
    name,
    help,
    labelNames: [label],
    collect() {
      this.reset();
      for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
    },
  });
}

type Options<Configuration> = Omit<Configuration, "registers">;

/** A gauge of this registry; the library's own constructor puts it into a global one. */
export function gauge<Label extends string>(
  registry: Registry,
  options: Options<GaugeConfiguration<Label>>,
): Gauge<Label> {
  return new Gauge({ ...options, registers: [registry] });
}

/** A counter of this registry. */
export function counter<Label extends string>(
  registry: Registry,
  options: Options<CounterConfiguration<Label>>,
): Counter<Label> {
  return new Counter({ ...options, registers: [registry] });
}

/** A histogram of this registry. */
export function histogram<Label extends string>(
  registry: Registry,
  options: Options<HistogramConfiguration<Label>>,
): Histogram<Label> {
  return new Histogram({ ...options, registers: [registry] });
}
