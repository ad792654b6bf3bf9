import type { Middleware } from "koa";

const ours = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** bull-board is a script that styles its elements; it asks for a font elsewhere, which it does not get. */
const boards = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
];

/** Headers of every answer: nothing is loaded from elsewhere, framed or guessed, and no page is kept in a cache. */
export function securityHeaders(boardPath: string): Middleware {
  return async (ctx, next) => {
    const onBoard = ctx.path === boardPath || ctx.path.startsWith(`${boardPath}/`);
    ctx.set("Content-Security-Policy", (onBoard ? boards : ours).join("; "));
    ctx.set("X-Content-Type-Options", "nosniff");
    ctx.set("X-Frame-Options", "DENY");
    ctx.set("Referrer-Policy", "same-origin");
    // The names of bull-board's files change with what is in them.
    const lasts = ctx.path.startsWith(`${boardPath}/static/`);
    ctx.set("Cache-Control", lasts ? "private, max-age=86400" : "no-store");
    await next();
  };
}
