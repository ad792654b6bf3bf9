import type { LateMessage } from "../overview.ts";
import { isAlive, type ProcessRow } from "../readings/processes.ts";
import type { QueueDepths, Snapshot } from "../readings/readings.ts";
import { latenessBounds, verdict, type Finding, type Trouble } from "../readings/verdict.ts";
import { html, type Content, type Html } from "./html.ts";
import { table, type Page } from "./layout.ts";
import { named } from "./names.ts";
import { moment, seconds } from "./spans.ts";

const refreshSeconds = 10;

/** Is anything late, which message, and who is at work. */
export function overviewPage(snapshot: Snapshot, late: readonly LateMessage[]): Page {
  return {
    title: "Overview",
    refresh: refreshSeconds,
    body: [
      verdictBox(verdict(snapshot)),
      numbers(snapshot),
      late.length === 0 ? "" : lateTable(late),
      html`<h2>Queues</h2>`,
      queueTable(snapshot.queues),
      html`<h2>Processes</h2>`,
      processTable(snapshot.processes),
    ],
  };
}

function verdictBox(found: readonly Finding[]): Html {
  if (found.length === 0) {
    return html`<div class="verdict good" data-spoken="All is well.">
      <p>All is well: nothing is late, nothing has failed in the last hour, nothing is lost.</p>
    </div>`;
  }
  return html`<div
    class="verdict bad"
    data-spoken="Not well: ${found.map(({ trouble }) => spoken[trouble]).join(", ")}."
  >
    <ul>
      ${found.map(findingItem)}
    </ul>
  </div>`;
}

/** What a screen reader hears of a trouble, when it comes: figures would be heard at every refresh. */
const spoken: Readonly<Record<Trouble, string>> = {
  database: "the database does not answer",
  queues: "the queues do not answer",
  unread: "not everything could be read",
  "process-missing": "a worker or gateway is missing",
  overdue: "messages are overdue",
  failed: "messages have failed",
  late: "messages were late",
  "process-lost": "a process was lost",
  outbox: "work does not get into the queues",
  "dead-letters": "dead letters",
  bouncer: "the push bouncer does not answer",
  clock: "clocks differ",
};

function findingItem({ text, details, href }: Finding): Html {
  const shown = href === undefined ? text : html`<a href="${href}">${text}</a>`;
  if (details.length === 0) return html`<li>${shown}</li>`;
  return html`<li>
    ${shown}
    <ul>
      ${details.map((detail) => html`<li>${detail}</li>`)}
    </ul>
  </li>`;
}

function numbers({ lag, counts, lateness, counters }: Snapshot): Html {
  const span = (value: number | undefined) => (value === undefined ? "unknown" : seconds(value));
  const quiet = lateness?.deliveries === 0;
  const number = (value: number | undefined) => value?.toLocaleString("en") ?? "unknown";
  const pairs: (readonly [string, Content])[] = [
    ["Oldest due message waits", span(lag?.dueLag)],
    ["Oldest outbox row waits", span(lag?.outboxOldest)],
    ["Pending, within 24 h", number(counts?.pendingWithin)],
    ["Pending, later", number(counts?.pendingAfter)],
    ["Failed, without a new time", html`<a href="/failed">${number(counts?.failed)}</a>`],
    ["Reminders pending", number(counts?.remindersPending)],
    ["Failed reminders", number(counts?.remindersFailed)],
    ["Background work pending", number(counts?.intentsPending)],
    ["Dead letters", html`<a href="/dead-letters">${number(counts?.deadLetters)}</a>`],
    ["Repairs of the sweep", number(counters && (counters.get("sweep_repairs") ?? 0))],
    [
      "Sent in the last hour",
      lateness?.deliveries === 1_000 ? "1,000 or more" : number(lateness?.deliveries),
    ],
    [`Lateness, 95 of 100 (bound: ${latenessBounds.p95} s)`, quiet ? "–" : span(lateness?.p95)],
    [`Lateness, worst (bound: ${latenessBounds.worst} s)`, quiet ? "–" : span(lateness?.max)],
  ];
  return html`<dl class="numbers">
    ${pairs.map(
      ([name, value]) =>
        html`<div>
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
        <td>${row.alarmed ? "yes" : "no"}</td>
      </tr>`,
  );
  const columns = ["Scheduled message", "Kind", "Organization", "Due", "Has an alarm"];
  return html`<h2>Late messages and reminders, the oldest first</h2>
    ${table(columns, rows, "")}`;
}

function queueTable(queues: QueueDepths | undefined): Html {
  const rows = [...(queues ?? [])].map(
    ([name, depth]) =>
      html`<tr>
        <td><a href="/queues/queue/${name}">${name}</a></td>
        <td class="n">${depth.waiting}</td>
        <td class="n">${depth.active}</td>
        <td class="n">${depth.delayed}</td>
        <td class="n">${depth.failed}</td>
        <td class="n">${depth.completed}</td>
      </tr>`,
  );
  const states = ["Waiting", "Active", "Delayed", "Failed", "Completed"].map((n) => ({ n }));
  return table(["Queue", ...states], rows, "The queues do not answer.");
}

function processTable(processes: readonly ProcessRow[] | undefined): Html {
  const rows = (processes ?? []).map(
    (row) =>
      html`<tr data-key="process-${row.processId}">
        <td>${row.role}</td>
        <td>${row.host}</td>
        <td class="n">${row.pid}</td>
        <td>${seconds(row.age)}</td>
        ${isAlive(row) ? html`<td>${seconds(row.lastSeen)} ago</td>` : html`<td class="lost">lost, ${seconds(row.lastSeen)} ago</td>`}
        <td>${counterText(row.counters)}</td>
      </tr>`,
  );
  const columns = ["Role", "Host", { n: "Process" }, "Running for", "Last seen", "Counted"];
  return table(columns, rows, processes ? "No process writes heartbeats." : "Unknown.");
}

function counterText(counters: ProcessRow["counters"]): string {
  return Object.entries(counters)
    .filter(([, value]) => typeof value === "number" || typeof value === "string")
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(", ");
}
