import type { FailedReason, FailedStep, Span } from "../failed/counts.ts";
import { mostCounted, spans } from "../failed/counts.ts";
import type { FailedFilter } from "../failed/filter.ts";
import type { FailedPage, FailedRow } from "../failed/list.ts";
import { chart } from "./chart.ts";
import { html, type Content, type Html } from "./html.ts";
import { table, type Page } from "./layout.ts";
import { named } from "./names.ts";
import { clock, moment } from "./spans.ts";

export interface Failed extends FailedPage {
  readonly filter: FailedFilter;
  readonly span: Span;
  readonly steps: readonly FailedStep[];
  readonly reasons: readonly FailedReason[];
}

const refreshSeconds = 15;

/** What could not be sent, why, and what was told to whom. */
export function failedPage(shown: Failed): Page {
  const { rows, next, filter, span } = shown;
  const columns = [
    "Failed",
    "Message",
    "Organization",
    "Sender",
    "To",
    "Reason",
    "Told to the sender",
    "Since then",
  ];
  return {
    title: "Failed messages",
    refresh: refreshSeconds,
    body: [
      filterForm(shown),
      overTime(shown),
      byReason(shown),
      html`<h2>The latest first</h2>`,
      table(
        columns,
        rows.map((row) => failedRow(row, shown)),
        "None has failed, or none that is kept: they are kept for 30 days.",
      ),
      next === undefined
        ? ""
        : html`<p><a href="${failedHref(filter, span, next.join("-"))}">Older ones</a></p>`,
    ],
  };
}

function overTime({ steps, filter, span }: Failed): Content {
  const other = span === "day" ? "month" : "day";
  const title = `Failed in the last ${spans[span].title}`;
  return [
    chart({
      title,
      at: steps.map(({ at }) => at),
      series: [{ name: "Failed", as: "bar", ink: "loud", values: steps.map(({ count }) => count) }],
      format: (value) => value.toLocaleString("en"),
    }),
    steps.reduce((sum, { count }) => sum + count, 0) < mostCounted
      ? ""
      : html`<p class="soft">The latest ${mostCounted.toLocaleString("en")} are counted.</p>`,
    html`<p><a href="${failedHref(filter, other)}">Show the last ${spans[other].title}</a></p>`,
  ];
}

function byReason({ reasons, filter, span }: Failed): Content {
  if (reasons.length === 0) return "";
  const rows = reasons.map(
    ({ reason, count }) =>
      html`<tr>
        <td class="n">${count}</td>
        <td class="why"><a href="${failedHref({ ...filter, reason }, span)}">${reason}</a></td>
      </tr>`,
  );
  return [html`<h2>By reason</h2>`, table([{ n: "Failed" }, "Reason"], rows, "")];
}

function failedRow(row: FailedRow, { filter, span }: Failed): Html {
  const { realmId, senderId, channelId, reason } = row;
  const only = (more: FailedFilter, text: Content) =>
    html`<a href="${failedHref({ ...filter, ...more }, span)}">${text}</a>`;
  const to =
    channelId === null
      ? row.kind === "reminder"
        ? "the account itself"
        : "a direct conversation"
      : only({ channelId }, named(row.channelName, channelId));
  return html`<tr data-key="failure-${row.id}">
    <td>${moment(row.failedAt, row.now)}<br /><span class="soft">due ${clock(row.dueAt)}</span></td>
    <td>
      <a href="/look-up?id=${row.scheduledMessageId}">${row.scheduledMessageId}</a><br />${row.kind}
    </td>
    <td>${only({ realmId }, named(row.realmName, realmId))}</td>
    <td>
      ${only({ sender: senderId }, named(row.senderName, senderId))}<br /><span class="soft"
        >${row.senderEmail}</span
      >
    </td>
    <td>${to}</td>
    <td class="why">${only({ reason }, reason)}</td>
    <td class="why">${told(row)}</td>
    <td>${becameOf[row.since]}</td>
  </tr>`;
}

/** What became of the message, in the words that its sender would use. */
const becameOf: Readonly<Record<FailedRow["since"], string>> = {
  failed: "waits for a new time",
  deleted: "deleted",
  pending: "has a new time",
  delivered: "sent later",
};

function told({ noticeId, notice, noticeRead }: FailedRow): Content {
  if (noticeId === null) return "nothing";
  if (notice === null) return `notice ${noticeId}, removed since`;
  return html`<details id="notice-${noticeId}">
    <summary>notice ${noticeId}, ${noticeRead === true ? "read" : "not read yet"}</summary>
    <p class="told">${notice}</p>
  </details>`;
}

function filterForm({ filter, span }: Failed): Html {
  const { realmId, sender, channelId, reason, since, until } = filter;
  const field = (label: string, name: string, value: Content, size: number) =>
    html`<label>${label}<input name="${name}" value="${value}" size="${size}" /></label>`;
  const time = (seconds: number | undefined) => (seconds === undefined ? "" : clock(seconds));
  return html`<form class="line" action="/failed" method="get">
    ${field("Organization (number)", "realm", realmId, 8)}
    ${field("Sender (number or e-mail address)", "sender", sender, 24)}
    ${field("Channel (number)", "channel", channelId, 8)} ${field("From", "since", time(since), 22)}
    ${field("Before", "until", time(until), 22)} ${field("Reason, in full", "reason", reason, 30)}
    <input type="hidden" name="span" value="${span}" />
    <button>Show</button>
    <a href="/failed">Show all</a>
  </form>`;
}

/** The address of the list. */
export function failedHref(filter: FailedFilter, span: Span, after?: string): string {
  const query = new URLSearchParams();
  const { realmId, sender, channelId, reason, since, until } = filter;
  for (const [name, value] of [
    ["realm", realmId],
    ["sender", sender],
    ["channel", channelId],
    ["reason", reason],
    ["since", since === undefined ? undefined : new Date(since * 1_000).toISOString()],
    ["until", until === undefined ? undefined : new Date(until * 1_000).toISOString()],
    ["span", span === "day" ? undefined : span],
    ["after", after],
  ] as const) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? "/failed" : `/failed?${query.toString()}`;
}
