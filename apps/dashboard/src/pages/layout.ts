import { boardPath } from "../board-when-visited.ts";
import type { Visitor } from "../http/authenticate.ts";
import { html, type Content, type Html } from "./html.ts";

export const stylePath = "/style.css";

const links = [
  ["/", "Overview"],
  ["/failed", "Failed messages"],
  ["/history", "History"],
  ["/look-up", "Look up"],
  ["/deletions", "Deletions"],
  ["/dead-letters", "Dead letters"],
  [boardPath, "Queues"],
] as const;

export interface Page {
  readonly title: string;
  readonly body: Content;
  /** The page reloads itself after so many seconds. */
  readonly refresh?: number;
}

/** A whole page. */
export function layout(page: Page, visitor: Visitor, path: string): string {
  const whole = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${page.refresh === undefined ? "" : html`<meta http-equiv="refresh" content="${page.refresh}" />`}
        <title>${page.title} – Carillon</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${stylePath}" />
      </head>
      <body>
        <header>
          <strong>Carillon</strong>
          <nav aria-label="Pages">${links.map((link) => navLink(link, path))}</nav>
          <span class="who">${visitor.user} (${visitor.role})</span>
        </header>
        <main>
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

/** A table that scrolls by itself where it is too wide; `n` marks columns of numbers. */
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
  return html`<div class="wide">
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

/** What is known of one thing, name by name. */
export function facts(pairs: readonly (readonly [string, Content])[]): Html {
  const rows = pairs.map(
    ([name, value]) =>
      html`<tr>
        <th scope="row">${name}</th>
        <td class="why">${value}</td>
      </tr>`,
  );
  return html`<div class="wide">
    <table>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}
