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
 * Declares every metric of Carillon. Processes create them by these names, docs/metrics.md is generated from it, and
 * alert rules and the Grafana dashboard may name no other metrics. Label values are short constant names, never user
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
    help: "Delay of the event loop, sampled every 50 ms",
    labels: [],
    of: each,
    buckets: shortTimes,
  },
  carillon_pool_waiting: {
    type: "gauge",
    help: "Statements waiting for a connection",
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
    help: "Requests waiting for a shared transaction",
    labels: [],
    of: ["gateway"],
  },
  carillon_group_commit_wait_seconds: {
    type: "histogram",
    help: "Time that requests waited until their shared transaction began",
    labels: [],
    of: ["gateway"],
    buckets: [0.001, ...shortTimes],
  },
  carillon_idempotency_keys_total: {
    type: "counter",
    help: "Requests with an Idempotency-Key, by outcome: first (carried out), replayed from the store, mismatched. Requests that waited for another one with the key are counted as waited, too",
    labels: ["outcome"],
    of: ["gateway"],
  },
  carillon_incoming_webhooks_total: {
    type: "counter",
    help: "Requests of other programs, by integration and outcome: sent, nothing (no message about it), no_channel, repeated, unsupported (event), refused. Requests without valid credentials are not counted",
    labels: ["integration", "outcome"],
    of: ["gateway"],
  },
  carillon_polls_open: {
    type: "gauge",
    help: "Open event polls",
    labels: [],
    of: ["gateway"],
  },
  carillon_returns: {
    type: "gauge",
    help: "People who come back after a long absence, by state: waiting until their missing copies are made, refused with 503 and told when to try again",
    labels: ["state"],
    of: ["gateway"],
  },
  carillon_event_ring_events: {
    type: "gauge",
    help: "Newest events kept in memory",
    labels: [],
    of: ["gateway"],
  },
  carillon_event_ring_bytes: {
    type: "gauge",
    help: "Approximate memory of the newest events, in bytes",
    labels: [],
    of: ["gateway"],
  },
  carillon_enqueue_missed_total: {
    type: "counter",
    help: "Jobs that did not reach the queue right after their commit; the relay adds them",
    labels: ["kind"],
    of: ["gateway"],
  },
  carillon_rate_limit_failures_total: {
    type: "counter",
    help: "Times that the rate-limit store did not answer; the gateway then counts in its own memory",
    labels: ["kind"],
    of: ["gateway"],
  },
  carillon_file_store_up: {
    type: "gauge",
    help: "1 when the store of uploaded files can be used, 0 after a call has failed, until a check succeeds and no call has failed for 15 s",
    labels: [],
    of: ["gateway", "worker"],
  },
  carillon_uploads_total: {
    type: "counter",
    help: "Objects that the gateway has written to the file store (files, and parts of resumable uploads), by outcome: stored, unavailable (the store failed), or broken (the client hung up or was too slow while others waited, the file was too large, or the form invalid)",
    labels: ["outcome"],
    of: ["gateway"],
  },
  carillon_upload_bytes_total: {
    type: "counter",
    help: "Bytes of the objects that the gateway has stored",
    labels: [],
    of: ["gateway"],
  },
  carillon_stored_files: {
    type: "gauge",
    help: "Uploaded files of all organizations",
    labels: [],
    of: ["dashboard"],
  },
  carillon_stored_bytes: {
    type: "gauge",
    help: "Bytes of the uploaded files of all organizations",
    labels: [],
    of: ["dashboard"],
  },
  carillon_objects_unused: {
    type: "gauge",
    help: "Objects of the file store that nothing refers to, by state: waiting for a day, or overdue for deletion by more than an hour",
    labels: ["state"],
    of: ["dashboard"],
  },
  carillon_unclaimed_files_total: {
    type: "counter",
    help: "Uploaded files that were deleted because nothing linked to them for five weeks, by all workers together",
    labels: [],
    of: ["dashboard"],
  },
  carillon_objects_deleted_total: {
    type: "counter",
    help: "Unused objects that were deleted from the file store, by all workers together",
    labels: [],
    of: ["dashboard"],
  },
  carillon_delivery_lateness_seconds: {
    type: "histogram",
    help: "Time from the scheduled time of a message or reminder to the commit of its batch",
    labels: [],
    of: ["worker"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 35, 120, 600],
  },
  carillon_deliveries_total: {
    type: "counter",
    help: "Scheduled messages and reminders that were sent or failed; reason of a failure: late, deactivated, broken, stuck, or the code of the refusal",
    labels: ["outcome", "reason"],
    of: ["worker"],
  },
  carillon_withheld_total: {
    type: "counter",
    help: "Scheduled messages that were not sent because a condition held, by its kind: reply, topic_resolved or check_in",
    labels: ["kind"],
    of: ["worker"],
  },
  carillon_series_occurrences_total: {
    type: "counter",
    help: "Occurrences of series that workers have ended, by outcome: sent, failed, withheld because a condition held, or missed because the server was too late. Occurrences that a request skips are not counted",
    labels: ["outcome"],
    of: ["worker"],
  },
  carillon_jobs_total: {
    type: "counter",
    help: "Runs of jobs, by name and outcome",
    labels: ["name", "outcome"],
    of: ["worker"],
  },
  carillon_job_duration_seconds: {
    type: "histogram",
    help: "Duration of a job's run",
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
    help: "Incidents of queue workers: jobs taken from a stalled worker, errors of the store",
    labels: ["what"],
    of: ["worker"],
  },
  carillon_bouncer_handovers_total: {
    type: "counter",
    help: "Notifications handed to a provider, by outcome",
    labels: ["kind", "outcome"],
    of: ["bouncer"],
  },
  carillon_store_up: {
    type: "gauge",
    help: "1 when the store answers, 0 when it does not: the database, and in the dashboard also the queues",
    labels: ["store"],
    of: fleet,
  },
  carillon_standbys: {
    type: "gauge",
    help: "Standbys of the database by state: synchronous or asynchronous; missing is 1 while commits wait for a synchronous standby and none is connected",
    labels: ["state"],
    of: ["dashboard"],
  },
  carillon_standby_behind_seconds: {
    type: "gauge",
    help: "How far the slowest standby is behind, by the time between a commit and its replay",
    labels: [],
    of: ["dashboard"],
  },
  carillon_standby_behind_bytes: {
    type: "gauge",
    help: "How far the slowest standby is behind, by bytes of write-ahead log",
    labels: [],
    of: ["dashboard"],
  },
  carillon_processes: {
    type: "gauge",
    help: "Processes whose heartbeat is not older than 20 seconds",
    labels: ["role"],
    of: fleet,
  },
  carillon_process_counters: {
    type: "gauge",
    help: "Sums of the counters of the running processes; they fall when a process ends",
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
    help: "Age of the oldest row that is not in its queue yet",
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
    help: "Scheduled messages not sent yet, by horizon: due within 24 hours, or later",
    labels: ["horizon"],
    of: ["dashboard"],
  },
  carillon_scheduled_messages_failed: {
    type: "gauge",
    help: "Scheduled messages that could not be sent",
    labels: [],
    of: ["dashboard"],
  },
  carillon_series: {
    type: "gauge",
    help: "Series of messages, by state: active, paused or ended",
    labels: ["state"],
    of: ["dashboard"],
  },
  carillon_reminders_pending: {
    type: "gauge",
    help: "Reminders not sent yet",
    labels: [],
    of: ["dashboard"],
  },
  carillon_failures_unacknowledged: {
    type: "gauge",
    help: "Scheduled messages and reminders that failed within the last hour and that no operator has acknowledged in the dashboard, by cause: the server, or people (an archived channel, a deactivated account, a permission removed)",
    labels: ["fault"],
    of: ["dashboard"],
  },
  carillon_reminders_failed: {
    type: "gauge",
    help: "Reminders that could not be sent; only the dashboard reports them",
    labels: [],
    of: ["dashboard"],
  },
  carillon_intents_pending: {
    type: "gauge",
    help: "Job intents that are pending",
    labels: [],
    of: ["dashboard"],
  },
  carillon_dead_letters: {
    type: "gauge",
    help: "Job intents that failed their last attempt",
    labels: [],
    of: fleet,
  },
  carillon_bouncer_circuit: {
    type: "gauge",
    help: "1 while the circuit breaker of the push bouncer is open, else 0",
    labels: [],
    of: fleet,
  },
  carillon_outgoing_calls_total: {
    type: "counter",
    help: "Calls of endpoints, by outcome: done, retry, failed; ended and overtaken for calls whose answer had no effect",
    labels: ["kind", "outcome"],
    of: ["worker"],
  },
  carillon_outgoing_call_seconds: {
    type: "histogram",
    help: "Time from the beginning of a call of an endpoint to the end of its answer",
    labels: ["kind"],
    of: ["worker"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  carillon_outgoing_waiting: {
    type: "gauge",
    help: "Calls of outgoing webhook bots that are not done, counted up to 100,000",
    labels: [],
    of: ["worker"],
  },
  carillon_outgoing_oldest_seconds: {
    type: "gauge",
    help: "How long the oldest call of an outgoing webhook bot that could be made now has waited",
    labels: [],
    of: ["worker"],
  },
  carillon_outgoing_circuits_open: {
    type: "gauge",
    help: "Endpoints that do not answer, whose circuit breaker is open",
    labels: [],
    of: ["worker"],
  },
  carillon_subscription_lag_seconds: {
    type: "gauge",
    help: "Age of the oldest event that an event subscription has neither delivered nor skipped",
    labels: [],
    of: ["worker"],
  },
  carillon_recent_delivery_lateness_seconds: {
    type: "gauge",
    help: "Lateness of the scheduled messages and reminders sent in the last hour, at most the latest 1,000: median, p95, maximum",
    labels: ["statistic"],
    of: ["dashboard"],
  },
  carillon_recent_deliveries: {
    type: "gauge",
    help: "Scheduled messages and reminders sent in the last hour, at most 1,000",
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
    help: "Jobs that a queue had lost and the sweep re-created, by all workers together",
    labels: [],
    of: fleet,
  },
  carillon_series_repaired_total: {
    type: "counter",
    help: "Active series whose planned occurrence was missing and was planned again, by all workers together",
    labels: [],
    of: fleet,
  },
  carillon_retention_removals_total: {
    type: "counter",
    help: "Messages that retention policies deleted, by all workers together",
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

The metrics that \`GET /metrics\` exports ([operating](operating.md#health-and-metrics)). The dashboard exports metrics of the whole
installation, other processes export metrics of their own. Metrics that both the dashboard and the workers export are of the whole
installation: take their \`max\`, which is there even while the dashboard is down. \`npm run generate\` writes this page from
\`packages/kit/src/declared-metrics.ts\`.

| metric | type | exported by | meaning |
| --- | --- | --- | --- |
${rows.join("\n")}

Each process also exports \`process_*\` and \`nodejs_*\`, by the names of prom-client's default metrics: CPU time, memory, heap
spaces, garbage collection, version.
`;
}
