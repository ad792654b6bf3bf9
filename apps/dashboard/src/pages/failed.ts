import { html, type HtmlValue, type Html } from "@carillon/kit";
import type { FailedReason, FailedStep, Span } from "../failed/counts.ts";
import { maxCounted, spans } from "../failed/counts.ts";
import type { FailedQuery } from "../failed/filter.ts";
import type { FailedPage, FailedRow } from "../failed/list.ts";
import { chart } from "./chart.ts";
import { hidden, table, type Page } from "./layout.ts";
import { named } from "./names.ts";
import { clock } from "../spans.ts";
import { relativeTime } from "./time.ts";

export interface Failed extends FailedPage {
  readonly filter: FailedQuery;
  readonly span: Span;
  readonly steps: readonly FailedStep[];
  readonly reasons: readonly FailedReason[];
  readonly mayAct: boolean;
  /** Result of the resending just done. */
  readonly sentAgain?: SentAgain;
}

/** Counts of messages that the operator sent again. */
export interface SentAgain {
  readonly sent: number;
  readonly refused: number;
  readonly unchanged: number;
}

const refreshSeconds = 15;

/** Lists failed messages: reasons, the notices to their authors, and their state now. */
export function failedPage(shown: Failed): Page {
  const { rows, next, filter, span, mayAct, sentAgain } = shown;
  const columns = [
    ...(mayAct ? ["Choose"] : []),
    "Failed",
    "Message",
    "Author",
    "To",
    "Reason",
    "Now",
  ];
  const list = table(
    columns,
    rows.map((row) => failedRow(row, shown)),
    "No failures match. Failures are kept for 30 days.",
  );
  return {
    title: "Failed messages",
    ...(sentAgain === undefined ? { refresh: refreshSeconds } : {}),
    body: [
      sentAgain === undefined
        ? ""
        : html`<div class="verdict good" role="status"><p>${resultText(sentAgain)}</p></div>`,
      filterForm(shown),
      overTime(shown),
      byReason(shown),
      html`<h2>Latest first</h2>`,
      mayAct && rows.length > 0 ? sendForm(filter, list) : list,
      next === undefined
        ? ""
        : html`<p>
            <a href="${failedHref(filter, span, { after: next.join("-") })}">Older</a>
          </p>`,
    ],
  };
}

function resultText({ sent, refused, unchanged }: SentAgain): string {
  return [
    `Messages rescheduled: ${sent}.`,
    refused === 0 ? "" : `Refused, because they would fail again: ${refused}.`,
    unchanged === 0 ? "" : `Skipped, because they are no longer failed: ${unchanged}.`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** Reads the counts that the redirect after sending again carries. */
export function sentAgainIn(query: URLSearchParams): SentAgain | undefined {
  const count = (name: string) => Number(/^\d{1,9}$/.exec(query.get(name) ?? "")?.[0] ?? 0);
  if (!query.has("sent")) return undefined;
  return { sent: count("sent"), refused: count("refused"), unchanged: count("unchanged") };
}

/** Leads to a preview; changes nothing. */
function sendForm(filter: FailedQuery, list: Html): Html {
  return html`<form action="/failed/preview" method="post">
    ${keptQuery(filter)} ${list}
    <fieldset class="line">
      <label class="tick"
        ><input type="checkbox" name="all" value="true" /> everything the filter finds, on further
        pages too</label
      >
      <button name="when" value="now">Send now …</button>
      <label class="tick"
        >New time (UTC)<input name="at" placeholder="2026-11-22 14:00" size="18"
      /></label>
      <button name="when" value="at">Send then …</button>
    </fieldset>
  </form>`;
}

/** Renders the filter as hidden form fields. */
export function keptQuery(query: FailedQuery): HtmlValue {
  return queryPairs(query).map(([name, value]) => hidden(name, value));
}

function overTime({ steps, filter, span }: Failed): HtmlValue {
  const other = span === "day" ? "month" : "day";
  const title = `Failed in the last ${spans[span].title}`;
  return [
    chart({
      title,
      at: steps.map(({ at }) => at),
      series: [{ name: "Failed", as: "bar", ink: "loud", values: steps.map(({ count }) => count) }],
      format: (value) => value.toLocaleString("en"),
    }),
    steps.reduce((sum, { count }) => sum + count, 0) < maxCounted
      ? ""
      : html`<p class="soft">The latest ${maxCounted.toLocaleString("en")} are counted.</p>`,
    html`<p><a href="${failedHref(filter, other)}">Show the last ${spans[other].title}</a></p>`,
  ];
}

function byReason({ reasons, filter, span }: Failed): HtmlValue {
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

function failedRow(row: FailedRow, { filter, span, mayAct }: Failed): Html {
  const { realmId, senderId, channelId, reason, scheduledMessageId: id } = row;
  const only = (more: FailedQuery, text: HtmlValue) =>
    html`<a href="${failedHref({ ...filter, ...more }, span)}">${text}</a>`;
  const to =
    channelId === null
      ? row.kind === "reminder"
        ? "the account itself"
        : "a direct conversation"
      : only({ channel: `#${channelId}` }, named(row.channelName, channelId));
  const box = row.sendable
    ? html`<input
        type="checkbox"
        name="chosen"
        value="${id}-${row.version}"
        aria-label="Message ${id}"
      />`
    : "";
  // A row has two lines: longer texts are clipped, but shown whole on hover and focus and read whole by screen readers.
  const line = (text: HtmlValue, whole: string) =>
    html`<span class="clip" title="${whole}">${text}</span>`;
  return html`<tr data-key="failure-${row.id}">
    ${mayAct ? html`<td>${box}</td>` : ""}
    <td class="time">
      ${relativeTime(row.failedAt, row.now)}<br /><span class="soft"
        >due ${relativeTime(row.dueAt, row.now)}</span
      >
    </td>
    <td><a href="/look-up?id=${id}">${id}</a><br />${row.kind}</td>
    <td class="lines">
      ${line(only({ sender: `#${senderId}` }, named(row.senderName, senderId)), row.senderName ?? "")}
      ${line(html`<span class="soft">${row.senderEmail}</span>`, row.senderEmail ?? "")}
    </td>
    <td class="lines">
      ${line(to, row.channelName ?? "")}
      ${line(only({ realm: `#${realmId}` }, named(row.realmName, realmId)), row.realmName)}
    </td>
    <td class="reason">
      <span class="two-lines" title="${reason}">${only({ reason }, reason)}</span>
    </td>
    <td class="lines">
      <span class="clip"
        >${stateTexts[row.since]}${row.acknowledgedBy === null ? "" : html`, acknowledged by <bdi>${row.acknowledgedBy}</bdi>`}</span
      >
      ${noticeShown(row)}
    </td>
  </tr>`;
}

/** State of the message now. */
const stateTexts: Readonly<Record<FailedRow["since"], string>> = {
  failed: "still failed",
  deleted: "deleted",
  pending: "has a new time",
  delivered: "sent later",
};

function noticeShown({ noticeId, notice, noticeRead }: FailedRow): HtmlValue {
  if (noticeId === null) return html`<span class="soft">author not notified</span>`;
  if (notice === null) return html`<span class="soft">notice ${noticeId}, removed since</span>`;
  return html`<details id="notice-${noticeId}">
    <summary>notice ${noticeId}, ${noticeRead === true ? "read" : "unread"}</summary>
    <p class="text">${notice}</p>
  </details>`;
}

function filterForm({ filter, span }: Failed): Html {
  const { realm, sender, channel, reason, since, until } = filter;
  const field = (label: string, name: string, value: HtmlValue, size: number) =>
    html`<label>${label}<input name="${name}" value="${value}" size="${size}" /></label>`;
  const time = (seconds: number | undefined) => (seconds === undefined ? "" : clock(seconds));
  return html`<form class="line" action="/failed" method="get">
    ${field("Organization", "realm", realm, 16)}
    ${field("Author (name or e-mail address)", "sender", sender, 24)}
    ${field("Channel", "channel", channel, 16)} ${field("From (UTC)", "since", time(since), 22)}
    ${field("Before (UTC)", "until", time(until), 22)}
    ${field("Reason, in full", "reason", reason, 30)}
    <input type="hidden" name="span" value="${span}" />
    <button>Show</button>
    <a href="/failed">Show all</a>
  </form>`;
}

function queryPairs(query: FailedQuery): ReadonlyArray<readonly [string, string]> {
  const { since, until, ...texts } = query;
  const time = (name: string, seconds: number | undefined) =>
    seconds === undefined ? [] : [[name, new Date(seconds * 1_000).toISOString()] as const];
  return [...Object.entries(texts), ...time("since", since), ...time("until", until)];
}

/** Returns the URL of the list, of a further page, or of a result. */
export function failedHref(
  filter: FailedQuery,
  span: Span,
  more: Readonly<Record<string, string | number>> = {},
): string {
  const query = new URLSearchParams(Object.fromEntries(queryPairs(filter)));
  if (span !== "day") query.set("span", span);
  for (const [name, value] of Object.entries(more)) query.set(name, String(value));
  return query.size === 0 ? "/failed" : `/failed?${query.toString()}`;
}
