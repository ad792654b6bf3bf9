import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { systemClock, type Clock, type Logger } from "@carillon/kit";
import type { Context, Middleware } from "koa";
import type { Login, Visitor } from "../credentials.ts";
import { WrongCredentials } from "./wrong-credentials.ts";

/**
 * Requires HTTP Basic credentials. Compares them in constant time. Refuses an address with too many failures for a while,
 * without comparing.
 */
export function authenticate(
  logins: readonly Login[],
  log: Logger,
  clock: Clock = systemClock,
): Middleware {
  const wrong = new WrongCredentials(clock);
  // Keyed digests have one length and reveal nothing about the credentials.
  const key = randomBytes(32);
  const digest = (text: string) => createHmac("sha256", key).update(text).digest();
  const known = logins.map(({ role, user, password }) => ({
    visitor: { role, user },
    digest: digest(`${user}:${password}`),
  }));

  return async (ctx, next) => {
    const given = credentials(ctx.get("authorization"));
    const waitMs = given === undefined ? 0 : wrong.blockedMs(ctx.ip);
    if (waitMs > 0) {
      ctx.status = 429;
      ctx.set("Retry-After", String(Math.ceil(waitMs / 1_000)));
      ctx.body = "Too many failed logins from this address: try again in a minute.\n";
      return;
    }
    const presented = digest(given ?? "");
    let visitor: Visitor | undefined;
    for (const login of known) {
      if (timingSafeEqual(login.digest, presented)) visitor = login.visitor;
    }
    if (visitor === undefined) {
      if (given !== undefined) {
        wrong.count(ctx.ip);
        log.warn({ ip: ctx.ip }, "wrong credentials for the dashboard");
      }
      ctx.status = 401;
      ctx.set("WWW-Authenticate", 'Basic realm="Carillon dashboard", charset="UTF-8"');
      ctx.body = "The dashboard asks for the name and password of its operator or viewer.\n";
      return;
    }
    wrong.proven(ctx.ip);
    ctx.state["visitor"] = visitor;
    await next();
  };
}

/** Returns the visitor of a request that {@link authenticate} let through. */
export function visitorOf(ctx: Context): Visitor {
  return ctx.state["visitor"] as Visitor;
}

/** Returns `user:password` of a Basic header; undefined for any other header. */
function credentials(header: string): string | undefined {
  const encoded = /^basic +([a-z0-9+/]+=*) *$/i.exec(header)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}
