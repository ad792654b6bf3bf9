import type { FailedMessage, ReschedulingResult } from "@carillon/domain";
import { html, type HtmlValue } from "@carillon/kit";
import { maxAtOnce } from "../failed/choose.ts";
import type { FailedQuery } from "../failed/filter.ts";
import { failedHref, keptQuery } from "./failed.ts";
import { hidden, table, type Page } from "./layout.ts";
import { clock } from "../spans.ts";

export interface SendingAgain {
  readonly messages: readonly FailedMessage[];
  readonly query: FailedQuery;
  readonly before: number | undefined;
  /** UNIX seconds; undefined for now. */
  readonly deliverAt: number | undefined;
  readonly result: ReschedulingResult;
}

/** Maximum number of listed refused messages. */
const maxListed = 50;

/** Shows which messages would be sent again and which are refused, with a button to confirm. Confirming twice sends once. */
export function sendAgainPage(shown: SendingAgain): Page {
  const { query, deliverAt, result, messages } = shown;
  const { rescheduled, refused, unchanged } = result;
  const back = html`<a href="${failedHref(query, "day")}">Back to the list</a>`;
  const when = deliverAt === undefined ? "now" : `at ${clock(deliverAt)}`;
  const many = rescheduled.toLocaleString("en");
  return {
    title: rescheduled === 0 ? "Nothing can be sent again" : `Send ${many} again?`,
    body: [
      rescheduled === 0
        ? ""
        : html`<p>
            ${rescheduled === 1 ? "It is" : "They are"} sent ${when}, as
            ${rescheduled === 1 ? "its author" : "their authors"}, whose clients see a new time.
            Authors who may no longer post get another notice.
          </p>`,
      messages.length < maxAtOnce
        ? ""
        : html`<p>
            These are the first ${maxAtOnce.toLocaleString("en")}; do the same again for the others.
          </p>`,
      unchanged === 0 ? "" : html`<p>Skipped, because they are no longer failed: ${unchanged}.</p>`,
      refusals(result),
      html`<form class="line" action="/failed/send" method="post">
        ${rescheduled === 0 ? "" : [fieldsOf(shown), html`<button>Send ${many} ${when}</button>`]}
        ${back}
      </form>`,
      refused.length > maxListed
        ? html`<p class="soft">The first ${maxListed} of ${refused.length} refusals are listed.</p>`
        : "",
    ],
  };
}

function refusals({ refused }: ReschedulingResult): HtmlValue {
  if (refused.length === 0) return "";
  const rows = refused.slice(0, maxListed).map(
    ({ id, reason }) =>
      html`<tr>
        <td><a href="/look-up?id=${id}">${id}</a></td>
        <td class="why">${reason}</td>
      </tr>`,
  );
  return [
    html`<h2>Not sent again: ${refused.length.toLocaleString("en")}</h2>`,
    table(["Message", "Why, and what to do"], rows, ""),
  ];
}

function fieldsOf({ messages, query, before, deliverAt }: SendingAgain): HtmlValue {
  const time =
    deliverAt === undefined
      ? hidden("when", "now")
      : [hidden("when", "at"), hidden("at", new Date(deliverAt * 1_000).toISOString())];
  if (before !== undefined)
    return [time, keptQuery(query), hidden("all", "true"), hidden("before", before)];
  return [
    time,
    keptQuery(query),
    ...messages.map(({ id, version }) => hidden("chosen", `${id}-${version ?? ""}`)),
  ];
}
