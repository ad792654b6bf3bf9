import { html, type HtmlValue, type Html } from "@carillon/kit";
import type { Visitor } from "../credentials.ts";
import { links } from "./links.ts";
import { clock } from "../spans.ts";

export const stylePath = "/style.css";
export const scriptPath = "/dashboard.js";

export interface Page {
  readonly title: string;
  readonly body: HtmlValue;
  /** Seconds between refreshes, in place if scripts run. */
  readonly refresh?: number;
}

/**
 * Renders a whole page.
 * @param asOf time of the page, in UNIX seconds by the database's clock; undefined if unknown
 */
export function layout(page: Page, visitor: Visitor, path: string, asOf?: number): string {
  const whole = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${page.refresh === undefined ? "" : html`<noscript><meta http-equiv="refresh" content="${page.refresh}" /></noscript>`}
        <title>${page.title} &ndash; Carillon</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${stylePath}" />
        <script src="${scriptPath}" defer></script>
      </head>
      <body data-refresh="${page.refresh}">
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <strong>Carillon</strong>
          <nav aria-label="Pages">${links.map((link) => navLink(link, path))}</nav>
          <span class="who">${visitor.user} (${visitor.role})</span>
        </header>
        <p id="refreshing" class="soft" hidden>
          <button type="button" id="pause">Pause refreshing</button>
          <span id="refreshed"
            >${asOf === undefined ? "Database time unknown" : `As of ${clock(asOf)}`}</span
          >
        </p>
        <p id="spoken" class="unseen" role="status"></p>
        <main id="content" tabindex="-1">
          <h1>${page.title}</h1>
          ${page.body}
        </main>
        <footer>All times are UTC, by the database's clock.</footer>
      </body>
    </html> `;
  return whole.text;
}

function navLink([href, text]: readonly [string, string], path: string): Html {
  return href === path
    ? html`<a href="${href}" aria-current="page">${text}</a>`
    : html`<a href="${href}">${text}</a>`;
}

/** Renders a table that scrolls by itself if it is too wide; `n` marks numeric columns. */
export function table(
  columns: readonly (string | { readonly n: string })[],
  rows: readonly Html[],
  empty: string,
): Html {
  if (rows.length === 0) return html`<p class="soft">${empty}</p>`;
  const heads = columns.map((column) =>
    typeof column === "string"
      ? html`<th scope="col">${column}</th>`
      : html`<th scope="col" class="n">${column.n}</th>`,
  );
  const names = columns.map((column) => (typeof column === "string" ? column : column.n));
  return html`<div class="wide" tabindex="0" role="region" aria-label="Table: ${names.join(", ")}">
    <table>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** Renders a table of names and values. */
export function facts(pairs: readonly (readonly [string, HtmlValue])[]): Html {
  const rows = pairs.map(
    ([name, value]) =>
      html`<tr>
        <th scope="row">${name}</th>
        <td class="why">${value}</td>
      </tr>`,
  );
  return html`<div class="wide" tabindex="0" role="region" aria-label="Table of facts">
    <table>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** Renders a hidden form field. */
export function hidden(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}
