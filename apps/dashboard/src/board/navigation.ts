import type { Middleware } from "koa";
import { html } from "@carillon/kit";
import { boardPath, links } from "../pages/links.ts";
import { boardScript } from "./script.ts";

/** Inline, because the board covers the whole window and styles every element that has no style. */
const style =
  "position: fixed; left: 0; right: 0; bottom: 0; z-index: 1000; display: flex; gap: 1.1rem; overflow-x: auto; padding: 0.55rem 1rem; background: #1d2430; font: 15px/1.4 system-ui, sans-serif; white-space: nowrap";

/**
 * Leaves room for the bar, darkens texts of low contrast, and wraps tabs that the board cuts off. Class names end differently
 * in each release of bull-board, so a rule may stop matching; the browser tests notice.
 */
const boardStyle = `
#root { padding-bottom: 3rem; }
header [class*="description-"], [class*="timeline-"], [class*="timeline-"] small { opacity: 1; font-weight: 400; }
kbd, [class*="active-"] > [class*="queueName-"] { color: var(--foreground) !important; }
[class*="nullValue-"], [class*="undefinedValue-"] { color: var(--foreground) !important; }
[class*="statusTabs-"], [class*="tabActions-"] {
  flex-wrap: wrap; overflow: visible; mask-image: none; -webkit-mask-image: none;
}
`;

const bar = html`<nav aria-label="Pages" style="${style}">
  ${links.map(([path, text]) =>
    path === boardPath
      ? html`<a href="${path}" aria-current="page" style="color: #fff; font-weight: 600"
          >${text}</a
        >`
      : html`<a href="${path}" style="color: #93b8f5">${text}</a>`,
  )}
</nav>`;

/** A font from another host, which the page's policy refuses. */
const foreignFont = /<link[^>]*fonts\.googleapis[^>]*>/g;

const scriptPath = `${boardPath}/carillon.js`;

/**
 * Adds links to our other pages to the board, first in the tab order and at the bottom of the window, and a script for what
 * the board cannot be configured to do.
 */
export function boardNavigation(board: Middleware): Middleware {
  return async (ctx, next) => {
    if (ctx.path === scriptPath) {
      ctx.type = "js";
      ctx.body = boardScript;
      return;
    }
    await board(ctx, next);
    if (typeof ctx.body !== "string" || !ctx.response.is("html")) return;
    ctx.body = ctx.body
      .replaceAll(foreignFont, "")
      .replace("<head>", () => `<head><script src="${scriptPath}"></script>`)
      .replace(/<body[^>]*>/, (body) => `${body}<style>${boardStyle}</style>${bar.text}`);
  };
}
