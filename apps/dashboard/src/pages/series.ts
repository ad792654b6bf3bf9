import { html, type HtmlValue, type Html } from "@carillon/kit";
import { seriesStates, type SeriesQuery } from "../series/filter.ts";
import type { FoundSeries, SeriesPage, SeriesRunView, SeriesView } from "../series/list.ts";
import { moment } from "../spans.ts";
import { facts, hidden, table, type Page } from "./layout.ts";
import { named } from "./names.ts";
import { relativeTime } from "./time.ts";

export interface SeriesList extends SeriesPage {
  readonly filter: SeriesQuery;
  readonly mayAct: boolean;
}

const refreshSeconds = 15;

/** Lists series of messages: place, state, next occurrence, last outcome. */
export function seriesPage({ rows, next, filter, mayAct }: SeriesList): Page {
  const columns = [
    "Series",
    "Author",
    "To",
    "State",
    "Next",
    "Last outcome",
    { n: "Failures in a row" },
    ...(mayAct ? ["Pause"] : []),
  ];
  return {
    title: "Series",
    refresh: refreshSeconds,
    body: [
      filterForm(filter),
      table(
        columns,
        rows.map((row) => seriesRow(row, filter, mayAct)),
        "No series match.",
      ),
      next === undefined
        ? ""
        : html`<p><a href="${seriesHref(filter, { before: String(next) })}">Older</a></p>`,
    ],
  };
}

function seriesRow(row: SeriesView, filter: SeriesQuery, mayAct: boolean): Html {
  const { id, now, nextAt, nextId } = row;
  const only = (more: SeriesQuery, text: HtmlValue) =>
    html`<a href="${seriesHref({ ...filter, ...more })}">${text}</a>`;
  const to =
    row.channelId === null
      ? "a direct conversation"
      : only({ channel: `#${row.channelId}` }, named(row.channelName, row.channelId));
  return html`<tr data-key="series-${id}">
    <td><a href="/look-up?id=s${id}">s${id}</a></td>
    <td>
      ${only({ author: `#${row.authorId}` }, named(row.authorName, row.authorId))}${row.authorActive ? "" : ", deactivated"}
    </td>
    <td>${to}<br />${only({ realm: `#${row.realmId}` }, named(row.realmName, row.realmId))}</td>
    <td>${stateOf(row)}</td>
    <td class="time">
      ${nextAt === null || nextId === null ? "–" : [relativeTime(nextAt, now), html`<br /><a href="/look-up?id=${nextId}">${nextId}</a>`]}
    </td>
    <td>
      ${row.lastOutcome === null ? "–" : html`${row.lastOutcome}<br /><span class="soft">${row.lastOccurrence}</span>`}
    </td>
    <td class="n">${row.consecutiveFailures}</td>
    ${mayAct ? html`<td>${row.state === "active" ? pauseForm(id, filter) : ""}</td>` : ""}
  </tr>`;
}

/** Formats the state, with the reason of a pause. */
function stateOf({ state, pausedReason }: SeriesView): HtmlValue {
  if (pausedReason === null) return state;
  const why = reasons[pausedReason];
  return pausedReason === "manual" ? why : html`<span class="bad">${why}</span>`;
}

const reasons: Readonly<Record<NonNullable<SeriesView["pausedReason"]>, string>> = {
  manual: "paused",
  failures: "paused: it failed five times in a row",
  author_deactivated: "paused: its author is deactivated",
  rule: "paused: its rule or time zone no longer works",
};

function pauseForm(id: number, filter: SeriesQuery): Html {
  return html`<form action="/series/pause" method="post">
    ${hidden("id", id)}${Object.entries(filter).map(([name, value]) => hidden(name, String(value)))}
    <button aria-label="Pause series ${id}">Pause</button>
  </form>`;
}

function filterForm({ realm, author, channel, state }: SeriesQuery): Html {
  const field = (label: string, name: string, value: HtmlValue, size: number) =>
    html`<label>${label}<input name="${name}" value="${value}" size="${size}" /></label>`;
  return html`<form class="line" action="/series" method="get">
    ${field("Organization", "realm", realm, 16)}
    ${field("Author (name or e-mail address)", "author", author, 24)}
    ${field("Channel", "channel", channel, 16)}
    <label
      >State<select name="state">
        <option value="">any</option>
        ${seriesStates.map((one) => html`<option value="${one}" ${one === state ? html`selected` : ""}>${one}</option>`)}
      </select></label
    >
    <button>Show</button>
    <a href="/series">Show all</a>
  </form>`;
}

/** Returns the URL of the list, or of a further page. */
export function seriesHref(
  filter: SeriesQuery,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({ ...filter, ...more });
  return query.size === 0 ? "/series" : `/series?${query.toString()}`;
}

/** Shows a series that was looked up, and how its occurrences ended. */
export function seriesSection(row: FoundSeries): HtmlValue {
  const { now, nextAt, nextId } = row;
  return [
    html`<h2>Series s${row.id}</h2>`,
    facts([
      ["State", stateOf(row)],
      ["Organization", named(row.realmName, row.realmId)],
      [
        "Author",
        [
          named(row.authorName, row.authorId),
          row.authorActive ? "" : ", deactivated",
          html`<br /><span class="soft">${row.authorEmail}</span>`,
        ],
      ],
      [
        "To",
        row.channelId === null
          ? "a direct conversation"
          : ["channel ", named(row.channelName, row.channelId)],
      ],
      ["Rule", html`<code>${row.rrule}</code> from ${row.start}, ${row.timezone}`],
      [
        "Next",
        nextAt === null || nextId === null
          ? "–"
          : [moment(nextAt, now), " as ", html`<a href="/look-up?id=${nextId}">${nextId}</a>`],
      ],
      ["Sent", row.sentCount],
      ["Failures in a row", row.consecutiveFailures],
      ["Sent at most this late", `${row.catchUpSeconds} s`],
      ["Version", row.version],
      ["Created", moment(row.createdAt, now)],
    ]),
    html`<h3>Occurrences that have ended</h3>`,
    table(
      ["Occurrence", "Outcome", "Ended", "Message", "Reason"],
      row.runs.map((run) => runRow(row, run)),
      "None.",
    ),
  ];
}

function runRow({ id, now }: SeriesView, run: SeriesRunView): Html {
  const { messageId } = run;
  return html`<tr>
    <td><a href="/look-up?id=s${id}/${run.occurrence}">${run.occurrence}</a></td>
    <td>${run.outcome}</td>
    <td class="time">${relativeTime(run.endedAt, now)}</td>
    <td>${messageId === null ? "–" : html`<a href="/look-up?id=${messageId}">${messageId}</a>`}</td>
    <td class="why">${run.reason ?? "–"}</td>
  </tr>`;
}
