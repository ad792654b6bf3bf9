import { html, type HtmlValue } from "@carillon/kit";
import { maxAtOnce, type Preview } from "../dead-letters/choose.ts";
import type { DeadFilter } from "../dead-letters/list.ts";
import type { Action, Choice } from "../dead-letters/request.ts";
import { href, keptFilter } from "./dead-letters.ts";
import { hidden, table, type Page } from "./layout.ts";
import { named, work } from "./names.ts";

const words: Readonly<Record<Action, { readonly verb: string; readonly effect: string }>> = {
  replay: {
    verb: "Replay",
    effect: "The jobs become pending again with new attempts, and run within seconds.",
  },
  discard: {
    verb: "Discard",
    effect:
      "The jobs are deleted and never run. This cannot be undone; the audit log keeps a line for each.",
  },
};

/** Shows what would be done, and the button that does it. A second submission finds nothing left to do. */
export function deadPreviewPage(
  action: Action,
  choice: Choice,
  filter: DeadFilter,
  { groups, count, before }: Preview,
): Page {
  const { verb, effect } = words[action];
  const back = html`<a href="${href(filter)}">Back to the list</a>`;
  if (count === 0)
    return {
      title: `${verb} nothing`,
      body: html`<p>
        The chosen dead letters have been replayed or discarded since, or have failed again. ${back}
      </p>`,
    };
  const rows = groups.map(
    (group) =>
      html`<tr>
        <td>${work(group.job)}</td>
        <td>${group.realmId === null ? "–" : named(group.realmName, group.realmId)}</td>
        <td class="n">${group.count}</td>
      </tr>`,
  );
  const many = count >= maxAtOnce ? `the oldest ${maxAtOnce.toLocaleString("en")}` : String(count);
  return {
    title: `${verb} ${many}?`,
    body: [
      html`<p>${effect}</p>`,
      table(["Job", "Organization", { n: "Dead letters" }], rows, ""),
      html`<form class="line" action="/dead-letters/${action}" method="post">
        ${keptFilter(filter)} ${fieldsOf(choice, before)}
        <button class="${action}">${verb} ${many}</button>
        ${back}
      </form>`,
    ],
  };
}

function fieldsOf(choice: Choice, before: number): HtmlValue {
  if ("matching" in choice) return [hidden("all", "true"), hidden("before", before)];
  return choice.chosen.map(({ id, version }) =>
    version === null ? hidden("id", id) : hidden("chosen", `${id}-${version}`),
  );
}
