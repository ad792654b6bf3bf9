import type { Middleware } from "koa";
import { boardPath } from "./board-when-visited.ts";
import { html } from "./pages/html.ts";
import { links } from "./pages/layout.ts";

/** The board covers the whole window, and styles all that has no style of its own. */
const style =
  "position: fixed; left: 0; right: 0; bottom: 0; z-index: 1000; display: flex; gap: 1.1rem; overflow-x: auto; padding: 0.55rem 1rem; background: #1d2430; font: 15px/1.4 system-ui, sans-serif; white-space: nowrap";

const bar = html`<nav aria-label="Pages" style="${style}">
  ${links.map(([path, text]) =>
    path === boardPath
      ? html`<a href="${path}" aria-current="page" style="color: #fff; font-weight: 600"
          >${text}</a
        >`
      : html`<a href="${path}" style="color: #93b8f5">${text}</a>`,
  )}
</nav>`;

/** A font of somebody else, which the policy of the page refuses anyway. */
const foreignFont = /<link[^>]*fonts\.googleapis[^>]*>/g;

/** Puts the way to our other pages onto the pages of the board, first for a keyboard and last for the eye. */
export function boardNavigation(board: Middleware): Middleware {
  return async (ctx, next) => {
    await board(ctx, next);
    if (typeof ctx.body !== "string" || !ctx.response.is("html")) return;
    ctx.body = ctx.body
      .replaceAll(foreignFont, "")
      .replace(
        /<body[^>]*>/,
        (body) => `${body}<style>#root { padding-bottom: 3rem; }</style>${bar.text}`,
      );
  };
}
