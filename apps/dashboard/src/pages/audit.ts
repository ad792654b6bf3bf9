import type { AuditLine, AuditPage } from "@carillon/domain";
import { html, type HtmlValue, type Html } from "@carillon/kit";
import type { AuditQuery } from "../audit/request.ts";
import { table, type Page } from "./layout.ts";
import { named } from "./names.ts";
import { clock } from "../spans.ts";
import { relativeTime } from "./time.ts";

export interface Audit extends AuditPage {
  readonly filter: AuditQuery;
}

/** Longer data are folded. */
const maxOpenLength = 120;

/**
 * Lists changes in the organizations, by account or operator.
 * @param now UNIX seconds by the database's clock
 */
export function auditPage({ lines, next, filter }: Audit, now: number | undefined): Page {
  return {
    title: "Audit log",
    body: [
      filterForm(filter),
      table(
        ["When", "What", "Organization", "By", "Account", "Details"],
        lines.map((line) => auditRow(line, filter, now)),
        "No entries match.",
      ),
      next === undefined
        ? ""
        : html`<p><a href="${auditHref({ ...filter, before: next })}">Older</a></p>`,
    ],
  };
}

function auditRow(line: AuditLine, filter: AuditQuery, now: number | undefined): Html {
  const { id, at, realmId, realmName, type, actingUserId, userId, data } = line;
  const only = (more: AuditQuery, text: HtmlValue) =>
    html`<a href="${auditHref({ ...filter, ...more })}">${text}</a>`;
  const account = (accountId: number, name: string | null) =>
    only({ account: `#${accountId}` }, named(name, accountId));
  const operator = data["operator"];
  const by =
    actingUserId !== null
      ? account(actingUserId, line.actingUserName)
      : typeof operator === "string"
        ? html`operator <bdi>${operator}</bdi>`
        : html`<span class="soft">the server or an operator</span>`;
  return html`<tr data-key="audit-${id}">
    <td class="time">${relativeTime(at, now)}</td>
    <td>${only({ type }, type)}</td>
    <td>${only({ organization: `#${realmId}` }, named(realmName, realmId))}</td>
    <td>${by}</td>
    <td>${userId === null ? "–" : account(userId, line.userName)}</td>
    <td class="why">${dataCell(id, data)}</td>
  </tr>`;
}

function dataCell(id: number, data: AuditLine["data"]): HtmlValue {
  const entries = Object.entries(data);
  if (entries.length === 0) return "–";
  const text = entries
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
  if (text.length <= maxOpenLength) return html`<bdi>${text}</bdi>`;
  return html`<details id="audit-data-${id}">
    <summary><bdi>${text.slice(0, maxOpenLength)}…</bdi></summary>
    <pre class="text">${JSON.stringify(data, undefined, 2)}</pre>
  </details>`;
}

function filterForm({ organization, account, type, since, until }: AuditQuery): Html {
  const time = (seconds: number | undefined) => (seconds === undefined ? "" : clock(seconds));
  const field = (label: string, name: string, value: HtmlValue, size: number) =>
    html`<label>${label}<input name="${name}" value="${value}" size="${size}" /></label>`;
  return html`<form class="line" action="/audit" method="get">
    ${field("Organization", "organization", organization, 16)}
    ${field("Account (name or e-mail address)", "account", account, 24)}
    ${field("Type", "type", type, 22)} ${field("From (UTC)", "since", time(since), 22)}
    ${field("Before (UTC)", "until", time(until), 22)}
    <button>Show</button>
    <a href="/audit">Show all</a>
  </form>`;
}

function auditHref({
  before,
  since,
  until,
  ...texts
}: AuditQuery & { readonly before?: number }): string {
  const query = new URLSearchParams(texts);
  for (const [name, value] of [
    ["since", since],
    ["until", until],
  ] as const) {
    if (value !== undefined) query.set(name, new Date(value * 1_000).toISOString());
  }
  if (before !== undefined) query.set("before", String(before));
  return query.size === 0 ? "/audit" : `/audit?${query.toString()}`;
}
