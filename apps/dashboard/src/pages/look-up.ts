import type { IntentView } from "../look-up/find-intents.ts";
import type { FoundJob } from "../look-up/find-jobs.ts";
import type { ScheduledView } from "../look-up/find-scheduled.ts";
import type { Found } from "../look-up/look-up.ts";
import { html, type Content, type Html } from "./html.ts";
import { facts, type Page } from "./layout.ts";
import { moment, seconds } from "./spans.ts";

/** One message or job, by id. @param found undefined when nothing was asked or the id cannot be one */
export function lookUpPage(id: string, found: Found | undefined): Page {
  return {
    title: "Look up",
    body: [
      html`<form class="line" action="/look-up" method="get">
        <label
          >Id of a scheduled message, a reminder, a message, background work or a job<input
            name="id"
            value="${id}"
            required
            autofocus
        /></label>
        <button>Look up</button>
      </form>`,
      id === "" ? "" : results(id, found),
    ],
  };
}

function results(id: string, found: Found | undefined): Content {
  if (found === undefined)
    return html`<p>“${id}” is not an id: letters, digits, dots and hyphens only.</p>`;
  const { scheduled, intents, jobs } = found;
  if (scheduled.length + intents.length + jobs.length === 0) {
    return html`<p>
      Nothing goes by “${id}”. A cancelled message has no row any more, and a job is gone when it
      has run.
    </p>`;
  }
  return [
    ...scheduled.map((row) => scheduledSection(row, row.alarms)),
    ...intents.map(intentSection),
    ...jobs.map(jobSection),
  ];
}

function scheduledSection(row: ScheduledView, alarms: readonly FoundJob[]): Html {
  const at = (time: number | null) => (time === null ? "–" : moment(time, row.now));
  const overdue = row.state === "pending" && row.now > row.deliverAt;
  return html`<h2>${row.kind === "reminder" ? "Reminder" : "Scheduled message"} ${row.id}</h2>
    ${facts([
      [
        "State",
        overdue
          ? html`<span class="bad">pending, late by ${seconds(row.now - row.deliverAt)}</span>`
          : row.state,
      ],
      ["Reason", row.failureMessage ?? "–"],
      ["Due", at(row.deliverAt)],
      ["Delivered as message", row.deliveredMessageId ?? "–"],
      ["Sent", at(row.sentAt)],
      ["Lateness", row.sentAt === null ? "–" : seconds(Math.max(0, row.sentAt - row.deliverAt))],
      ["Alarm set", at(row.alarmedAt)],
      [
        "Alarm in the queue",
        alarms.length === 0
          ? "none"
          : alarms.map((job) => html`<div>${jobLink(job)} ${job.state}</div>`),
      ],
      ["Version", row.version],
      ["Kind", row.kind],
      ["Organization", row.realmId],
      [row.kind === "reminder" ? "Account" : "Sender", row.senderId],
      ["To", receiverOf(row)],
      ["Created", at(row.createdAt)],
    ])}`;
}

function receiverOf({ kind, channelId }: ScheduledView): string {
  if (kind === "reminder") return "the account itself";
  return channelId === null ? "a direct conversation" : `channel ${channelId}`;
}

function intentSection(row: IntentView): Html {
  const at = (time: number | null) => (time === null ? "–" : moment(time, row.now));
  return html`<h2>Background work ${row.id}</h2>
    ${facts([
      [
        "State",
        row.state === "dead"
          ? html`dead (<a href="/dead-letters?job=${encodeURIComponent(row.job)}">dead letters</a>)`
          : row.state,
      ],
      ["Last error", row.lastError ?? "–"],
      ["Attempts", row.attempts],
      ["Job", row.job],
      ["Key", html`<code>${row.uniqueKey}</code>`],
      ["Version", row.version],
      ["Organization", row.realmId ?? "–"],
      ["To run", at(row.runAt)],
      ["Put into the queue", at(row.enqueuedAt)],
      ["Ended", at(row.finishedAt)],
      ["Created", at(row.createdAt)],
    ])}`;
}

function jobSection(job: FoundJob): Html {
  const now = Date.now() / 1_000;
  return html`<h2>Job <code>${job.id}</code></h2>
    ${facts([
      ["State", job.state],
      ["Failure", job.failure === undefined ? "–" : job.failure.slice(0, 1_000)],
      ["Queue", jobLink(job)],
      ["Name", job.name],
      ["Data", html`<code>${JSON.stringify(job.payload)}</code>`],
      ["Failed attempts", job.attempts],
      ["Added", moment(job.addedAt / 1_000, now)],
      ["May run", moment(job.dueAt / 1_000, now)],
    ])}`;
}

function jobLink(job: FoundJob): Html {
  return html`<a href="/queues/queue/${job.queue}/${encodeURIComponent(job.id)}"
    >${job.queue}: ${job.id}</a
  >`;
}
