import type { Middleware } from "koa";

const dashboardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** bull-board styles elements by script; its external font stays blocked. */
const boardPolicy = [
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

/** Sets security headers on every answer: no external resources, frames, content sniffing or caching. */
export function securityHeaders(boardPath: string): Middleware {
  return async (ctx, next) => {
    const onBoard = ctx.path === boardPath || ctx.path.startsWith(`${boardPath}/`);
    ctx.set("Content-Security-Policy", (onBoard ? boardPolicy : dashboardPolicy).join("; "));
    ctx.set("X-Content-Type-Options", "nosniff");
    ctx.set("X-Frame-Options", "DENY");
    ctx.set("Referrer-Policy", "same-origin");
    // Names of bull-board's static files contain a hash.
    const isCacheable = ctx.path.startsWith(`${boardPath}/static/`);
    ctx.set("Cache-Control", isCacheable ? "private, max-age=86400" : "no-store");
    await next();
  };
}
