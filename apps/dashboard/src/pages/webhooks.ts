import type { DeadCall, EndpointView, SubscriptionView } from "@carillon/domain";

import { counted, html, type HtmlValue, type Html } from "@carillon/kit";
import { moment, seconds } from "../spans.ts";
import { hidden, table, type Page } from "./layout.ts";
import { named } from "./names.ts";
import { relativeTime } from "./time.ts";

export interface Webhooks {
  readonly endpoints: { readonly rows: readonly EndpointView[]; readonly next: number | undefined };
  readonly subscriptions: {
    readonly rows: readonly SubscriptionView[];
    readonly next: number | undefined;
  };
  readonly dead: { readonly rows: readonly DeadCall[]; readonly next: number | undefined };
}

/** The result of the previous action. */
export interface WebhooksDone {
  readonly action: "retried" | "discarded";
  readonly count: number;
}

const refreshSeconds = 15;

/** Shows the endpoints of outgoing webhook bots and event subscriptions, and lets the operator repeat or discard calls that were given up. */
export function webhooksPage({
  endpoints,
  subscriptions,
  dead,
  mayAct,
  done,
}: Webhooks & { readonly mayAct: boolean; readonly done: WebhooksDone | undefined }): Page {
  return {
    title: "Webhooks",
    ...(done === undefined ? { refresh: refreshSeconds } : {}),
    body: [
      done === undefined
        ? ""
        : html`<div class="verdict good" role="status"><p>${said(done)}</p></div>`,
      html`<h2>Endpoints of outgoing webhook bots</h2>`,
      table(
        [
          "Bot",
          "Organization, owner",
          "Origin",
          "State",
          { n: "Waiting" },
          "Longest",
          { n: "Given up" },
          "Last call",
        ],
        endpoints.rows.map(endpointRow),
        "No outgoing webhook bots.",
      ),
      more("after", endpoints.next, "More endpoints"),
      html`<h2>Event subscriptions</h2>`,
      table(
        [
          "Subscription, bot",
          "Organization",
          "Origin",
          "State",
          { n: "Events behind" },
          "Oldest",
          "Last call",
        ],
        subscriptions.rows.map(subscriptionRow),
        "No event subscriptions.",
      ),
      more("after_subscription", subscriptions.next, "More subscriptions"),
      html`<h2>Calls that were given up</h2>`,
      deadCalls(dead, mayAct),
      more("before", dead.next, "Older calls"),
    ],
  };
}

function said({ action, count }: WebhooksDone): string {
  if (count === 0) return "Nothing was changed: none of the chosen calls was given up.";
  const calls = counted(count, "call");
  return action === "retried" ? `${calls} made again within seconds.` : `${calls} discarded.`;
}

function more(name: string, next: number | undefined, words: string): HtmlValue {
  return next === undefined ? "" : html`<p><a href="/webhooks?${name}=${next}">${words}</a></p>`;
}

function endpointRow(row: EndpointView): Html {
  const { botId, botName, realmId, realmName, ownerId, ownerName, lastAt, now } = row;
  return html`<tr data-key="endpoint-${botId}">
    <td>${named(botName, botId)}</td>
    <td>${named(realmName, realmId)}<br />${ownerId === null ? "–" : named(ownerName, ownerId)}</td>
    <td><bdi>${row.origin}</bdi></td>
    ${stateOf(row)}
    <td class="n">${row.waiting}</td>
    <td class="time">${row.oldestSeconds === null ? "–" : seconds(row.oldestSeconds)}</td>
    <td class="n">${row.dead}</td>
    <td class="why">
      ${lastAt === null ? "–" : html`${relativeTime(lastAt, now)}<br />${row.lastError ?? `status ${row.lastStatus}`}`}
    </td>
  </tr>`;
}

function stateOf({ isActive, failing, openSeconds }: EndpointView): HtmlValue {
  if (!isActive) return html`<td>deactivated</td>`;
  if (openSeconds !== null && openSeconds > 0)
    return html`<td class="bad">does not answer: left alone for ${seconds(openSeconds)}</td>`;
  return failing ? html`<td class="bad">failing</td>` : html`<td>ok</td>`;
}

function subscriptionRow(row: SubscriptionView): Html {
  const { id, botId, botName, realmId, realmName, lagSeconds, lastAt, now } = row;
  return html`<tr data-key="subscription-${id}">
    <td>${id}<br />${named(botName, botId)}</td>
    <td>${named(realmName, realmId)}</td>
    <td><bdi>${row.origin}</bdi></td>
    ${subscriptionState(row)}
    <td class="n">${row.behind}</td>
    <td class="time">${lagSeconds === null ? "–" : seconds(lagSeconds)}</td>
    <td class="why">
      ${lastAt === null ? "–" : html`${relativeTime(lastAt, now)}<br />${row.lastError ?? `status ${row.lastStatus}`}`}
    </td>
  </tr>`;
}

function subscriptionState({ state, reason, nextAt, now }: SubscriptionView): HtmlValue {
  if (state === "active" || state === "paused") return html`<td>${state}</td>`;
  const next = nextAt === null || nextAt <= now ? "" : `, next attempt in ${seconds(nextAt - now)}`;
  return html`<td class="bad">${state}: ${reason ?? ""}${next}</td>`;
}

function deadCalls({ rows }: Webhooks["dead"], mayAct: boolean): HtmlValue {
  const list = table(
    [
      "Call",
      "Organization, bot",
      { n: "Message" },
      "Given up",
      { n: "Attempts" },
      "Reason",
      ...(mayAct ? ["Repeat", "Discard"] : []),
    ],
    rows.map((row) => deadRow(row, mayAct)),
    "None.",
  );
  return list;
}

function deadRow(row: DeadCall, mayAct: boolean): Html {
  const { id, deadAt, now } = row;
  return html`<tr data-key="call-${id}">
    <td>${id}<br /><code>${row.webhookId}</code></td>
    <td>${named(row.realmName, row.realmId)}<br />${named(row.botName, row.botId)}</td>
    <td class="n">${row.messageId}</td>
    <td class="time">${deadAt === null ? "–" : moment(deadAt, now)}</td>
    <td class="n">${row.attempts}</td>
    <td class="why">${row.reason ?? ""}</td>
    ${mayAct ? [action("retry", "Repeat", id), action("discard", "Discard", id)].map((form) => html`<td>${form}</td>`) : ""}
  </tr>`;
}

function action(path: "retry" | "discard", words: string, id: number): Html {
  return html`<form action="/webhooks/${path}" method="post">
    ${hidden("id", id)}<button aria-label="${words} call ${id}">${words}</button>
  </form>`;
}
