import { queues as declared } from "@carillon/jobs";
import { html, sizeText, type HtmlValue, type Html } from "@carillon/kit";
import type { LateMessage } from "../overview.ts";
import { isAlive, isLost, type ProcessRow } from "../readings/processes.ts";
import type { QueueDepths, Snapshot } from "../readings/readings.ts";
import type { Replication, StandbyRow } from "../readings/replication.ts";
import {
  latenessBounds,
  verdict,
  worstOf,
  type Finding,
  type Trouble,
} from "../readings/verdict.ts";
import { hidden, table, type Page } from "./layout.ts";
import { named } from "./names.ts";
import { moment, seconds } from "../spans.ts";

const refreshSeconds = 10;

/** Shows the verdict, the key figures, late messages, queues and processes. */
export function overviewPage(
  snapshot: Snapshot,
  late: readonly LateMessage[],
  mayAct: boolean,
): Page {
  return {
    title: "Overview",
    refresh: refreshSeconds,
    body: [
      verdictBox(verdict(snapshot), mayAct),
      numbers(snapshot),
      late.length === 0 ? "" : lateTable(late),
      html`<h2>Queues</h2>`,
      queueTable(snapshot.queues),
      html`<h2>Processes</h2>`,
      processTable(snapshot.processes),
      snapshot.replication ? databaseSection(snapshot.replication) : "",
    ],
  };
}

function verdictBox(found: readonly Finding[], mayAct: boolean): Html {
  if (found.length === 0) {
    return html`<div class="verdict good" data-spoken="All is well.">
      <p>
        All is well: no message is late, no failure of the last hour is unacknowledged, all
        processes send heartbeats.
      </p>
    </div>`;
  }
  return html`<div
    class="verdict ${worstOf(found) === "critical" ? "bad" : "warn"}"
    data-spoken="Problems: ${found.map(({ trouble }) => spoken[trouble]).join(", ")}."
  >
    <ul>
      ${found.map((finding) => findingItem(finding, mayAct))}
    </ul>
  </div>`;
}

/** What a screen reader announces for a new trouble. Without figures, which change at every refresh. */
const spoken: Readonly<Record<Trouble, string>> = {
  database: "the database does not answer",
  queues: "the queues do not answer",
  unread: "some readings are missing",
  "standby-missing": "no synchronous standby is connected",
  "process-missing": "a worker or gateway is missing",
  overdue: "messages are overdue",
  failed: "messages have failed",
  late: "messages were late",
  files: "the store of uploaded files cannot be used",
  refused: "messages were refused",
  "process-lost": "a process stopped sending heartbeats",
  "standby-behind": "a standby is behind",
  outbox: "outbox backlog",
  "dead-letters": "dead letters",
  bouncer: "the push bouncer does not answer",
  clock: "clocks differ",
};

function findingItem(finding: Finding, mayAct: boolean): Html {
  const { text, details, href, severity } = finding;
  const shown = href === undefined ? text : html`<a href="${href}">${text}</a>`;
  return html`<li>
    ${severity === "warning" ? html`<strong>Warning:</strong> ` : ""}${shown}
    ${
      details.length === 0
        ? ""
        : html`<ul>
            ${details.map((detail) => html`<li>${detail}</li>`)}
          </ul>`
    }
    ${mayAct ? acknowledgeForm(finding) : ""}
  </li>`;
}

/** Lets the operator acknowledge failures: the verdict and the alerts no longer count them. */
function acknowledgeForm({ acknowledge, trouble }: Finding): HtmlValue {
  if (!acknowledge) return "";
  const what = trouble === "failed" ? "server errors" : "refusals";
  return html`<form action="/failed/acknowledge" method="post" class="line">
    ${hidden("fault", acknowledge.fault)} ${hidden("until", acknowledge.until)}
    <button title="The verdict and the alerts no longer count them; the list keeps them.">
      Acknowledge ${what}
    </button>
  </form>`;
}

function numbers({ lag, counts, lateness, counters }: Snapshot): Html {
  const span = (value: number | undefined) => (value === undefined ? "unknown" : seconds(value));
  const quiet = lateness?.deliveries === 0;
  const number = (value: number | undefined) => value?.toLocaleString("en") ?? "unknown";
  const pairs: (readonly [string, HtmlValue, string])[] = [
    [
      "Oldest overdue",
      span(lag?.dueLag),
      "How long the oldest due message or reminder has been waiting.",
    ],
    [
      "Outbox latency",
      span(lag?.outboxOldest),
      "How long the oldest committed job has waited to enter its queue.",
    ],
    [
      "Scheduled, next 24 h",
      number(counts?.pendingWithin),
      "Messages due within 24 hours; their delivery jobs are in the queue.",
    ],
    [
      "Scheduled, later",
      number(counts?.pendingAfter),
      "Messages due later; their delivery jobs are queued a day ahead.",
    ],
    [
      "Failed messages",
      html`<a href="/failed">${number(counts?.failed)}</a>`,
      "Scheduled messages that failed and have no new time yet.",
    ],
    ["Reminders scheduled", number(counts?.remindersPending), "Reminders that are not due yet."],
    ["Failed reminders", number(counts?.remindersFailed), "Reminders that failed."],
    [
      "Background jobs pending",
      number(counts?.intentsPending),
      "Jobs that wait, run or wait for a retry: mail, pushes, deletions.",
    ],
    [
      "Dead letters",
      html`<a href="/dead-letters">${number(counts?.deadLetters)}</a>`,
      "Jobs that failed for the last time, until an operator replays or discards them.",
    ],
    [
      "Jobs re-created",
      number(counters && (counters.get("sweep_repairs") ?? 0)),
      "Jobs that a queue had lost and the sweep re-created from their rows, since the database was created.",
    ],
    [
      "Sent in the last hour",
      lateness?.deliveries === 1_000 ? "1,000 or more" : number(lateness?.deliveries),
      "Scheduled messages; reminders are not counted.",
    ],
    [
      `Latency p95 (limit ${latenessBounds.p95} s)`,
      quiet ? "–" : span(lateness?.p95),
      "95% of the last hour's messages were sent within this time after they were due.",
    ],
    [
      `Latency, worst (limit ${latenessBounds.worst} s)`,
      quiet ? "–" : span(lateness?.max),
      "The longest time between due and sent in the last hour.",
    ],
  ];
  return html`<dl class="numbers">
    ${pairs.map(
      ([name, value, meaning]) =>
        html`<div title="${meaning}">
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function lateTable(late: readonly LateMessage[]): Html {
  const rows = late.map(
    (row) =>
      html`<tr data-key="late-${row.id}">
        <td><a href="/look-up?id=${row.id}">${row.id}</a></td>
        <td>${row.isReminder ? "reminder" : "message"}</td>
        <td>${named(row.realmName, row.realmId)}</td>
        <td>${moment(row.deliverAt, row.deliverAt + row.late)}</td>
        <td>${row.enqueued ? "yes" : "no"}</td>
      </tr>`,
  );
  const columns = ["Scheduled message", "Kind", "Organization", "Due", "Delivery job queued"];
  return html`<h2>Late messages and reminders, oldest first</h2>
    ${table(columns, rows, "")}`;
}

/** Completed jobs are not kept, so there is no column for them. */
function queueTable(queues: QueueDepths | undefined): Html {
  const rows = [...(queues ?? [])].map(
    ([name, depth]) =>
      html`<tr>
        <td><a href="/queues/queue/${name}">${declared[name].title}</a> <code>${name}</code></td>
        <td class="prose">${declared[name].about}</td>
        <td class="n">${depth.waiting}</td>
        <td class="n">${depth.active}</td>
        <td class="n">${depth.delayed}</td>
        <td class="n">${depth.failed}</td>
      </tr>`,
  );
  const states = ["Waiting", "Active", "Scheduled or retrying", "Failed jobs"].map((n) => ({ n }));
  return html`${table(["Queue", "Purpose", ...states], rows, "The queues do not answer.")}
    <p class="soft">
      Failed jobs are kept in the queue for 14 days, even when they were replayed or discarded
      since. Jobs that need an operator are in
      <a href="/dead-letters">Dead letters</a>.
    </p>`;
}

function processTable(processes: readonly ProcessRow[] | undefined): Html {
  const rows = (processes ?? []).map(
    (row) =>
      html`<tr data-key="process-${row.processId}">
        <td>${row.role}</td>
        <td>${row.host}</td>
        <td class="n">${row.pid}</td>
        <td>${seconds(row.age)} ago</td>
        ${stateCell(row)}
        <td>${counterText(row.counters)}</td>
      </tr>`,
  );
  const columns = ["Role", "Host", { n: "Process" }, "Started", "State", "Since start"];
  return table(columns, rows, processes ? "No process sends heartbeats." : "Unknown.");
}

function stateCell(row: ProcessRow): Html {
  // After a failover, the new primary's clock may be behind the last heartbeat.
  const seen = `${seconds(Math.max(0, row.lastSeen))} ago`;
  if (isLost(row))
    return html`<td class="state lost">stopped sending heartbeats, last ${seen}</td>`;
  if (!row.stopping) return html`<td class="state">running, heartbeat ${seen}</td>`;
  return html`<td class="state">${isAlive(row) ? "stopping" : `stopped by SIGTERM, ${seen}`}</td>`;
}

/** Shows the PostgreSQL server that the dashboard uses, and its standbys. */
function databaseSection({ address, port, timeline, commitsWait, standbys }: Replication): Html {
  const server = address === null ? "a local socket" : `${address}:${port}`;
  const waiting = commitsWait
    ? "Commits wait for a synchronous standby."
    : "Commits do not wait for a standby.";
  const rows = standbys.map(
    (row, at) =>
      html`<tr data-key="standby-${at}">
        <td>${row.name}</td>
        <td>${row.address ?? "a local socket"}</td>
        <td>${standbyState(row)}</td>
        <td class="n">${row.behindBytes === null ? "unknown" : sizeText(row.behindBytes)}</td>
        <td class="n">${row.behindSeconds === null ? "–" : seconds(row.behindSeconds)}</td>
      </tr>`,
  );
  const columns = ["Standby", "Address", "State", { n: "Behind" }, { n: "Time behind" }];
  return html`<h2>Database</h2>
    <p>
      ${server}, timeline ${timeline}.
      ${standbys.length === 0 && !commitsWait ? "No standby is connected." : waiting}
    </p>
    ${standbys.length === 0 ? "" : table(columns, rows, "")}`;
}

function standbyState({ state, isSynchronous }: StandbyRow): string {
  if (isSynchronous === null) return "unknown: the database user lacks pg_monitor";
  return `${state}, ${isSynchronous ? "synchronous" : "asynchronous"}`;
}

/** Labels of the heartbeat counters. */
const counterNames: Readonly<Record<string, string>> = {
  active: "jobs running",
  completed: "jobs completed",
  failed: "jobs failed",
  stalled: "jobs stalled",
  errors: "errors",
  sent: "messages sent",
  notSent: "messages failed",
  requests: "requests",
  polls: "open polls",
  alarms: "delivery jobs left to the relay",
  intents: "background jobs left to the relay",
};

function counterText({ filesAway: _shownInVerdict, ...counters }: ProcessRow["counters"]): string {
  return Object.entries(counters)
    .filter((entry): entry is [string, number] => typeof entry[1] === "number")
    .map(([name, value]) => `${counterNames[name] ?? name}: ${value.toLocaleString("en")}`)
    .join(", ");
}
