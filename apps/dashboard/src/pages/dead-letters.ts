import type { DeadFilter, DeadPage } from "../dead-letters/list.ts";
import type { IntentView } from "../look-up/find-intents.ts";
import { html, type Content, type Html } from "./html.ts";
import { table, type Page } from "./layout.ts";
import { named } from "./names.ts";
import { moment } from "./spans.ts";

export interface DeadLetters extends DeadPage {
  readonly filter: DeadFilter;
  readonly jobs: readonly { readonly job: string; readonly count: number }[];
  readonly mayReplay: boolean;
  /** How many have just been replayed, where that was asked. */
  readonly replayed?: number;
}

/** Work that was given up, with the reason, and the button that tries it again. */
export function deadLettersPage(shown: DeadLetters): Page {
  const { rows, next, filter, replayed } = shown;
  const columns = [
    "Work",
    "Job",
    "Organization",
    "Given up",
    { n: "Attempts" },
    "Reason",
    ...(shown.mayReplay ? [""] : []),
  ];
  return {
    title: "Dead letters",
    body: [
      replayed === undefined
        ? ""
        : html`<div class="verdict good" role="status"><p>${said(replayed)}</p></div>`,
      filterForm(shown),
      table(
        columns,
        rows.map((row) => deadRow(row, shown)),
        "There are none.",
      ),
      next === undefined
        ? ""
        : html`<p><a href="${href(filter, next.join("-"))}">Older ones</a></p>`,
      shown.mayReplay && rows.length > 0 ? replayAll(shown) : "",
    ],
  };
}

function said(replayed: number): string {
  if (replayed === 0) return "Nothing was replayed: it was not dead any more.";
  return `${replayed === 1 ? "One is" : `${replayed} are`} to be tried again within seconds.`;
}

function deadRow(row: IntentView, { mayReplay, filter }: DeadLetters): Html {
  return html`<tr>
    <td><a href="/look-up?id=${row.id}">${row.id}</a><br /><code>${row.uniqueKey}</code></td>
    <td>${row.job}</td>
    <td>${row.realmId === null ? "–" : named(row.realmName, row.realmId)}</td>
    <td>${row.finishedAt === null ? "–" : moment(row.finishedAt, row.now)}</td>
    <td class="n">${row.attempts}</td>
    <td class="why">${row.lastError ?? "–"}</td>
    ${mayReplay ? html`<td>${replayForm([hidden("id", row.id), hidden("version", row.version), kept(filter)], "Replay")}</td>` : ""}
  </tr>`;
}

function replayAll({ filter, jobs }: DeadLetters): Html {
  const matching = jobs
    .filter(({ job }) => filter.job === undefined || filter.job === job)
    .reduce((sum, { count }) => sum + count, 0);
  const which =
    filter.realmId === undefined ? `all ${matching}` : `all of organization ${filter.realmId}`;
  const of = filter.job === undefined ? "" : ` of ${filter.job}`;
  return replayForm([hidden("all", "true"), kept(filter)], `Replay ${which}${of}`);
}

function replayForm(fields: Content, text: string): Html {
  return html`<form action="/dead-letters/replay" method="post">
    ${fields}<button>${text}</button>
  </form>`;
}

function filterForm({ filter, jobs }: DeadLetters): Html {
  const options = jobs.map(({ job, count }) => {
    const text = `${job} (${count})`;
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
      >Organization<input name="realm" inputmode="numeric" size="6" value="${filter.realmId}"
    /></label>
    <button>Show</button>
  </form>`;
}

function kept({ job, realmId }: DeadFilter): Content {
  return [
    job === undefined ? "" : hidden("job", job),
    realmId === undefined ? "" : hidden("realm", realmId),
  ];
}

function hidden(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

/** The address of the list. */
export function href({ job, realmId }: DeadFilter, after?: string, replayed?: number): string {
  const query = new URLSearchParams();
  if (job !== undefined) query.set("job", job);
  if (realmId !== undefined) query.set("realm", String(realmId));
  if (after !== undefined) query.set("after", after);
  if (replayed !== undefined) query.set("replayed", String(replayed));
  return query.size === 0 ? "/dead-letters" : `/dead-letters?${query.toString()}`;
}
