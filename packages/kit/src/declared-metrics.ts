/** A kind of process that has metrics. */
export type MeasuredRole = "gateway" | "worker" | "dashboard" | "bouncer";

interface DeclaredMetric {
  readonly type: "gauge" | "counter" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** The kinds of processes that export it. */
  readonly of: readonly MeasuredRole[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const each: readonly MeasuredRole[] = ["gateway", "worker", "dashboard", "bouncer"];

/** Metrics of the whole installation: each process exports the same values, so that none of them is indispensable. */
const fleet: readonly MeasuredRole[] = ["dashboard", "worker"];

/** Buckets for response times and short waits, in seconds. */
const shortTimes = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/**
 * Declares every metric of ours. Processes create them by these names, docs/metrics.md is generated from it, and
 * alert rules and the Grafana dashboard may name no other metrics. Label values are short names of ours, never user
 * content.
 */
export const declaredMetrics = {
  carillon_build_info: {
    type: "gauge",
    help: "1, with the role of the process and its version",
    labels: ["role", "version"],
    of: each,
  },
  carillon_loop_delay_seconds: {
    type: "histogram",
    help: "How much later than asked the event loop came round, looked at every 50 ms",
    labels: [],
    of: each,
    buckets: shortTimes,
  },
  carillon_pool_waiting: {
    type: "gauge",
    help: "Statements that wait for a connection",
    labels: ["pool"],
    of: each,
  },
  carillon_pool_connections: {
    type: "gauge",
    help: "Open connections, busy and idle",
    labels: ["pool", "state"],
    of: each,
  },
  carillon_http_requests_total: {
    type: "counter",
    help: "Answered requests, by operation (its method and path) and status",
    labels: ["operation", "status"],
    of: ["gateway", "bouncer"],
  },
  carillon_http_request_seconds: {
    type: "histogram",
    help: "Time from the head of a request to the end of its answer",
    labels: ["operation"],
    of: ["gateway", "bouncer"],
    buckets: shortTimes,
  },
  carillon_requests_waiting: {
    type: "gauge",
    help: "Requests that wait for a shared transaction",
    labels: [],
    of: ["gateway"],
  },
  carillon_group_commit_wait_seconds: {
    type: "histogram",
    help: "How long requests that are written together waited before they were begun",
    labels: [],
    of: ["gateway"],
    buckets: [0.001, ...shortTimes],
  },
  carillon_polls_open: {
    type: "gauge",
    help: "Polls for events that are open",
    labels: [],
    of: ["gateway"],
  },
  carillon_event_ring_events: {
    type: "gauge",
    help: "Newest events that are kept in memory",
    labels: [],
    of: ["gateway"],
  },
  carillon_event_ring_bytes: {
    type: "gauge",
    help: "Memory that they take, roughly",
    labels: [],
    of: ["gateway"],
  },
  carillon_enqueue_missed_total: {
    type: "counter",
    help: "What did not reach the queue right after its commit; the relay adds it",
    labels: ["kind"],
    of: ["gateway"],
  },
  carillon_rate_limit_failures_total: {
    type: "counter",
    help: "How often the store of the rate limits did not answer; each gateway then counts for itself",
    labels: ["kind"],
    of: ["gateway"],
  },
  carillon_delivery_lateness_seconds: {
    type: "histogram",
    help: "From the time that a message or reminder was scheduled for to the commit of its batch",
    labels: [],
    of: ["worker"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 35, 120, 600],
  },
  carillon_deliveries_total: {
    type: "counter",
    help: "Scheduled messages and reminders whose time came: sent, or failed, and then why (late, deactivated, broken, stuck, or the code of the refusal)",
    labels: ["outcome", "reason"],
    of: ["worker"],
  },
  carillon_jobs_total: {
    type: "counter",
    help: "Runs of jobs, by the job's name and what became of them",
    labels: ["name", "outcome"],
    of: ["worker"],
  },
  carillon_job_duration_seconds: {
    type: "histogram",
    help: "How long a run of a job took",
    labels: ["name"],
    of: ["worker"],
    buckets: [0.005, 0.025, 0.1, 0.5, 2, 10, 60],
  },
  carillon_jobs_active: {
    type: "gauge",
    help: "Jobs that are running",
    labels: [],
    of: ["worker"],
  },
  carillon_queue_events_total: {
    type: "counter",
    help: "What happened to the workers of the queues: jobs that were taken from a stalled worker, errors of the store",
    labels: ["what"],
    of: ["worker"],
  },
  carillon_bouncer_handovers_total: {
    type: "counter",
    help: "Notifications that were given to a provider, by what came of them",
    labels: ["kind", "outcome"],
    of: ["bouncer"],
  },
  carillon_store_up: {
    type: "gauge",
    help: "1 when the store answers the process, 0 when it does not: database, and of the dashboard queues too",
    labels: ["store"],
    of: fleet,
  },
  carillon_processes: {
    type: "gauge",
    help: "Processes whose heartbeat is not older than 20 seconds",
    labels: ["role"],
    of: fleet,
  },
  carillon_process_counters: {
    type: "gauge",
    help: "What the living processes count of themselves, added up; falls when one ends",
    labels: ["role", "counter"],
    of: ["dashboard"],
  },
  carillon_due_lag_seconds: {
    type: "gauge",
    help: "How long the oldest due message or reminder has been waiting",
    labels: [],
    of: fleet,
  },
  carillon_outbox_oldest_seconds: {
    type: "gauge",
    help: "How long the oldest row has been waiting to get into a queue",
    labels: [],
    of: fleet,
  },
  carillon_clock_skew_seconds: {
    type: "gauge",
    help: "How far the database's clock is ahead of the dashboard's",
    labels: [],
    of: ["dashboard"],
  },
  carillon_scheduled_messages_pending: {
    type: "gauge",
    help: "Scheduled messages that are to be sent: within 24 hours, after that",
    labels: ["horizon"],
    of: ["dashboard"],
  },
  carillon_scheduled_messages_failed: {
    type: "gauge",
    help: "Scheduled messages that could not be sent",
    labels: [],
    of: ["dashboard"],
  },
  carillon_reminders_pending: {
    type: "gauge",
    help: "Reminders that are to be sent",
    labels: [],
    of: ["dashboard"],
  },
  carillon_failures_unacknowledged: {
    type: "gauge",
    help: "Scheduled messages and reminders that failed within the last hour and that no operator has acknowledged in the dashboard, by whose fault: of the server, or of people (an archived channel, a deactivated account, a right taken away)",
    labels: ["fault"],
    of: ["dashboard"],
  },
  carillon_reminders_failed: {
    type: "gauge",
    help: "Reminders that could not be sent; nobody but the dashboard tells of one",
    labels: [],
    of: ["dashboard"],
  },
  carillon_intents_pending: {
    type: "gauge",
    help: "Background work that is to be done",
    labels: [],
    of: ["dashboard"],
  },
  carillon_dead_letters: {
    type: "gauge",
    help: "Background work that was given up",
    labels: [],
    of: fleet,
  },
  carillon_bouncer_circuit: {
    type: "gauge",
    help: "1 while the push bouncer does not answer and is left alone, else 0",
    labels: [],
    of: fleet,
  },
  carillon_recent_delivery_lateness_seconds: {
    type: "gauge",
    help: "How late the scheduled messages and reminders of the last hour were sent, of the latest thousand: median, p95, worst",
    labels: ["statistic"],
    of: ["dashboard"],
  },
  carillon_recent_deliveries: {
    type: "gauge",
    help: "Scheduled messages and reminders sent in the last hour, counted up to a thousand",
    labels: [],
    of: ["dashboard"],
  },
  carillon_queue_jobs: {
    type: "gauge",
    help: "Jobs in the queues, by state; the queue push holds mail and the planning of push notifications",
    labels: ["queue", "state"],
    of: ["dashboard"],
  },
  carillon_sweep_repairs_total: {
    type: "counter",
    help: "What a queue had lost and the sweep brought back, by all workers together",
    labels: [],
    of: fleet,
  },
  carillon_retention_removals_total: {
    type: "counter",
    help: "Messages that were kept no longer, by all workers together",
    labels: [],
    of: ["dashboard"],
  },
} as const satisfies Readonly<Record<string, DeclaredMetric>>;

type Declared = typeof declaredMetrics;

/** The names of all declared metrics of one type. */
export type MetricName<Type extends DeclaredMetric["type"] = DeclaredMetric["type"]> = {
  [Name in keyof Declared]: Declared[Name]["type"] extends Type ? Name : never;
}[keyof Declared];

/** The labels of a metric. */
export type LabelOf<Name extends keyof Declared> = Declared[Name]["labels"][number];

/** Returns the names of the metrics that a process exports. */
export function metricsOf(role: MeasuredRole): string[] {
  return Object.entries<DeclaredMetric>(declaredMetrics).flatMap(([name, { of }]) =>
    of.includes(role) ? [name] : [],
  );
}

/** Returns the content of docs/metrics.md. */
export function metricsReference(): string {
  const rows = Object.entries<DeclaredMetric>(declaredMetrics).map(
    ([name, { type, help, labels, of }]) =>
      `| \`${name}${labels.length > 0 ? `{${labels.join(",")}}` : ""}\` | ${type} | ${of.length === each.length ? "each" : of.join(", ")} | ${help} |`,
  );
  return `# Metrics

What \`GET /metrics\` shows ([operating](operating.md#health-and-metrics)): the dashboard for the whole installation, the other
processes of themselves. What the dashboard and the workers both show is of the whole installation, the same from each: take
the \`max\` of it, and it is there also while the dashboard is not. Written from \`packages/kit/src/declared-metrics.ts\` by \`npm run generate\`.

| metric | type | shown by | what it tells |
| --- | --- | --- | --- |
${rows.join("\n")}

Each process has \`process_*\` and \`nodejs_*\` besides, by the names that boards for Node know: processor time, memory, heap
spaces, garbage collection, version.
`;
}
