import { queues } from "@carillon/jobs";
import { html, type HtmlValue, type Html } from "@carillon/kit";
import type { IntentView } from "../look-up/find-intents.ts";
import type { FoundJob } from "../look-up/find-jobs.ts";
import type { ScheduledView } from "../look-up/find-scheduled.ts";
import type { WithheldView } from "../look-up/find-withheld.ts";
import { isFound, type Found, type FoundScheduled } from "../look-up/look-up.ts";
import { facts, type Page } from "./layout.ts";
import { lookUpForm, type LookUpInput } from "./look-up-form.ts";
import { named, work } from "./names.ts";
import { clock, moment, seconds } from "../spans.ts";
import { seriesSection } from "./series.ts";
import { timelineList } from "./timeline.ts";

const refreshSeconds = 10;

/** Shows one message or job by id. @param found undefined without a query or for a malformed id */
export function lookUpPage(asked: LookUpInput, found: Found | undefined): Page {
  const { id = "" } = asked;
  return {
    title: "Look up",
    ...(id === "" ? {} : { refresh: refreshSeconds }),
    body: [lookUpForm(asked), id === "" ? "" : results(id, found)],
  };
}

function results(id: string, found: Found | undefined): HtmlValue {
  if (found === undefined)
    return html`<p>&ldquo;${id}&rdquo; is not an id: letters, digits, dots and hyphens only.</p>`;
  const { scheduled, withheld, series, intents, jobs } = found;
  if (!isFound(found)) {
    return html`<p>
      Nothing has the id &ldquo;${id}&rdquo;. A cancelled message has no row, and a completed job is
      no longer in its queue.
    </p>`;
  }
  return [
    ...series.map(seriesSection),
    ...scheduled.map(scheduledSection),
    ...withheld.map(withheldSection),
    ...intents.map(intentSection),
    ...jobs.map(jobSection),
  ];
}

function scheduledSection(row: FoundScheduled): Html {
  const at = (time: number | null) => (time === null ? "–" : moment(time, row.now));
  const { deliveryJobs } = row;
  return html`<h2>${row.kind === "reminder" ? "Reminder" : "Scheduled message"} ${row.id}</h2>
    ${facts([
      ["State", stateOf(row)],
      ["Reason", row.failureMessage ?? "–"],
      ["Organization", named(row.realmName, row.realmId)],
      [
        row.kind === "reminder" ? "Account" : "Sender",
        [
          named(row.senderName, row.senderId),
          html`<br /><span class="soft">${row.senderEmail}</span>`,
        ],
      ],
      ["To", receiverOf(row)],
      ...occurrenceOf(row),
      ["Due", at(row.deliverAt)],
      ["Delivered as message", row.deliveredMessageId ?? "–"],
      ["Lateness", latenessOf(row)],
      [
        "Delivery job in the queue",
        deliveryJobs.length === 0
          ? "none"
          : deliveryJobs.map((job) => html`<div>${jobLink(job)} ${job.state}</div>`),
      ],
      ["Version", row.version === 1 ? "1" : `${row.version}: changed ${row.version - 1} times`],
    ])}
    <h3>Timeline</h3>
    ${timelineList(row.timeline, row.now)}`;
}

function withheldSection(row: WithheldView): Html {
  return html`<h2>Scheduled message ${row.id}</h2>
    ${facts([
      ["State", "withheld: not sent, because a condition of its author held"],
      ["Condition", conditionOf(row)],
      ["Reply", row.replyId === null ? "–" : html`message ${row.replyId}`],
      ["Organization", named(row.realmName, row.realmId)],
      [
        "Sender",
        [
          named(row.senderName, row.senderId),
          html`<br /><span class="soft">${row.senderEmail}</span>`,
        ],
      ],
      ["To", channelOf(row)],
      ["Due", moment(row.deliverAt, row.now)],
      ["Withheld", moment(row.withheldAt, row.now)],
    ])}`;
}

/** Formats the condition that held: its kind, and the accounts that it names. */
export function conditionOf({ condition }: WithheldView): HtmlValue {
  const by = "by" in condition ? condition.by : undefined;
  return [
    html`<code>${condition.kind}</code>`,
    by ? ` by ${by.map((id) => `#${id}`).join(", ")}` : "",
  ];
}

/** A fact only of occurrences of series. */
function occurrenceOf({ seriesId, occurrence }: FoundScheduled): Array<[string, HtmlValue]> {
  if (seriesId === null) return [];
  const link = html`<a href="/look-up?id=s${seriesId}">s${seriesId}</a>`;
  return [["Series", [link, `, the occurrence of ${occurrence ?? ""}`]]];
}

/** Formats the state, with the delay of an overdue message. */
export function stateOf(row: ScheduledView): HtmlValue {
  const overdue = row.state === "pending" && row.now > row.deliverAt;
  return overdue
    ? html`<span class="bad">pending, late by ${seconds(row.now - row.deliverAt)}</span>`
    : row.state;
}

function latenessOf({ state, sentAt, endedAt, deliverAt }: ScheduledView): string {
  const at = endedAt ?? sentAt;
  return state !== "delivered" || at === null ? "–" : seconds(Math.max(0, at - deliverAt));
}

/** Formats the recipient of a message. */
export function receiverOf({ kind, channelId, channelName }: ScheduledView): HtmlValue {
  return kind === "reminder" ? "the account itself" : channelOf({ channelId, channelName });
}

/** Formats the channel of a message, if it has one. */
export function channelOf({
  channelId,
  channelName,
}: Pick<ScheduledView, "channelId" | "channelName">): HtmlValue {
  return channelId === null ? "a direct conversation" : ["channel ", named(channelName, channelId)];
}

function intentSection(row: IntentView): Html {
  const at = (time: number | null) => (time === null ? "–" : moment(time, row.now));
  return html`<h2>Background job ${row.id}</h2>
    ${facts([
      [
        "State",
        row.state === "dead"
          ? html`dead (<a href="/dead-letters?job=${encodeURIComponent(row.job)}">dead letters</a>)`
          : row.state,
      ],
      ["Last error", row.lastError ?? "–"],
      ["Attempts", row.attempts],
      ["Job", work(row.job)],
      ["Key", html`<code>${row.uniqueKey}</code>`],
      ["Version", row.version],
      ["Organization", row.realmId === null ? "–" : named(row.realmName, row.realmId)],
      ["Runs at", at(row.runAt)],
      ["Queued", at(row.enqueuedAt)],
      ["Ended", at(row.finishedAt)],
      ["Created", at(row.createdAt)],
    ])}`;
}

function jobSection(job: FoundJob): Html {
  return html`<h2>Queue job <code>${job.id}</code></h2>
    ${facts([
      ["State", job.state],
      ["Failure", job.failure === undefined ? "–" : job.failure.slice(0, 1_000)],
      ["Queue", jobLink(job)],
      ["Name", job.name],
      ["Data", html`<code>${JSON.stringify(job.payload)}</code>`],
      ["Failed attempts", job.attempts],
      ["Added", clock(job.addedAt / 1_000)],
      ["Runs at", clock(job.dueAt / 1_000)],
    ])}`;
}

function jobLink(job: FoundJob): Html {
  return html`<a href="/queues/queue/${job.queue}/${encodeURIComponent(job.id)}"
    >${queues[job.queue].title}: ${job.id}</a
  >`;
}
