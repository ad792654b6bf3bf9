import { html, type HtmlValue, type Html } from "@carillon/kit";
import type { DeadFilter, DeadPage, DeadRow } from "../dead-letters/list.ts";
import { readableReason } from "../dead-letters/reason.ts";
import type { Action } from "../dead-letters/request.ts";
import { hidden, table, type Page } from "./layout.ts";
import { named, work, workText } from "./names.ts";
import { relativeTime } from "./time.ts";

export interface DeadLetters extends DeadPage {
  readonly filter: DeadFilter;
  readonly jobs: readonly { readonly job: string; readonly count: number }[];
  readonly mayAct: boolean;
  /** The action just done, with its count. */
  readonly done?: { readonly action: Action; readonly count: number };
}

const refreshSeconds = 15;

/** Lists dead letters with their reasons, and lets the operator replay or discard them. */
export function deadLettersPage(shown: DeadLetters): Page {
  const { rows, next, filter, done, mayAct } = shown;
  const columns = [
    ...(mayAct ? ["Choose"] : []),
    "Dead letter",
    "Job",
    "Organization, account",
    "Failed",
    { n: "Attempts" },
    "Reason",
  ];
  const list = table(
    columns,
    rows.map((row) => deadRow(row, mayAct)),
    "None.",
  );
  return {
    title: "Dead letters",
    ...(done === undefined ? { refresh: refreshSeconds } : {}),
    body: [
      done === undefined
        ? ""
        : html`<div class="verdict good" role="status">
            <p>${said(done.action, done.count)}</p>
          </div>`,
      filterForm(shown),
      mayAct && rows.length > 0 ? chooseForm(filter, list) : list,
      next === undefined
        ? ""
        : html`<p><a href="${href(filter, { after: next.join("-") })}">Older</a></p>`,
    ],
  };
}

function said(action: Action, count: number): string {
  const one = count === 1;
  if (action === "discard") {
    return count === 0
      ? "Nothing was discarded: none of the chosen dead letters exists any more."
      : `${count} dead letter${one ? "" : "s"} discarded.`;
  }
  return count === 0
    ? "Nothing was replayed: none of the chosen dead letters exists any more."
    : `${count} dead letter${one ? "" : "s"} replayed: ${one ? "it runs" : "they run"} within seconds.`;
}

function deadRow(row: DeadRow, mayAct: boolean): Html {
  const reason = readableReason(row.lastError);
  const whole =
    row.lastError === null || row.lastError === reason
      ? reason
      : html`<details id="error-${row.id}">
          <summary>${reason}</summary>
          <p class="text">${row.lastError}</p>
        </details>`;
  return html`<tr data-key="work-${row.id}">
    ${mayAct ? html`<td><input type="checkbox" name="chosen" value="${row.id}-${row.version}" aria-label="Dead letter ${row.id}" /></td>` : ""}
    <td><a href="/look-up?id=${row.id}">${row.id}</a><br /><code>${row.uniqueKey}</code></td>
    <td>${work(row.job)}</td>
    <td>
      ${row.realmId === null ? "–" : named(row.realmName, row.realmId)}${row.accountId === null ? "" : html`<br />to ${named(row.accountName, row.accountId)}`}
    </td>
    <td class="time">${row.finishedAt === null ? "–" : relativeTime(row.finishedAt, row.now)}</td>
    <td class="n">${row.attempts}</td>
    <td class="why">${whole}</td>
  </tr>`;
}

/** Leads to a preview; changes nothing. */
function chooseForm(filter: DeadFilter, list: Html): Html {
  return html`<form action="/dead-letters/preview" method="post">
    ${keptFilter(filter)} ${list}
    <fieldset class="line">
      <label class="tick"
        ><input type="checkbox" name="all" value="true" /> everything the filter finds, on further
        pages too</label
      >
      <button name="what" value="replay">Replay …</button>
      <button name="what" value="discard">Discard …</button>
    </fieldset>
  </form>`;
}

function filterForm({ filter, jobs }: DeadLetters): Html {
  const options = jobs.map(({ job, count }) => {
    const text = `${workText(job)} (${count})`;
    return job === filter.job
      ? html`<option value="${job}" selected>${text}</option>`
      : html`<option value="${job}">${text}</option>`;
  });
  return html`<form class="line" action="/dead-letters" method="get">
    <label
      >Job<select name="job">
        <option value="">all</option>
        ${options}
      </select></label
    >
    <label
      >Organization (number)<input
        name="realm"
        inputmode="numeric"
        size="6"
        value="${filter.realmId}"
    /></label>
    <label>Text in the error<input name="error" size="24" value="${filter.error}" /></label>
    <button>Show</button>
  </form>`;
}

/** Renders the filter as hidden form fields. */
export function keptFilter({ job, realmId, error }: DeadFilter): HtmlValue {
  return [
    job === undefined ? "" : hidden("job", job),
    realmId === undefined ? "" : hidden("realm", realmId),
    error === undefined ? "" : hidden("error", error),
  ];
}

/** Returns the URL of the list, of a further page, or of a result. */
export function href(
  { job, realmId, error }: DeadFilter,
  more: { readonly after?: string; readonly replayed?: number; readonly discarded?: number } = {},
): string {
  const query = new URLSearchParams();
  if (job !== undefined) query.set("job", job);
  if (realmId !== undefined) query.set("realm", String(realmId));
  if (error !== undefined) query.set("error", error);
  for (const [name, value] of Object.entries(more)) query.set(name, String(value));
  return query.size === 0 ? "/dead-letters" : `/dead-letters?${query.toString()}`;
}
