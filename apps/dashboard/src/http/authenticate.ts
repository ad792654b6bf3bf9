import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { systemClock, type Clock, type Logger } from "@carillon/kit";
import type { Context, Middleware } from "koa";
import type { Login, Role } from "../credentials.ts";
import { WrongCredentials } from "./wrong-credentials.ts";

/** Who is asking. */
export interface Visitor {
  readonly role: Role;
  readonly user: string;
}

/**
 * HTTP Basic for everything behind it. Comparing takes the same time whatever is wrong, and from where too many were
 * wrong nothing is compared for a while.
 */
export function authenticate(
  logins: readonly Login[],
  log: Logger,
  clock: Clock = systemClock,
): Middleware {
  const wrong = new WrongCredentials(clock);
  // Digests under a key of this process are of one length, and tell nothing about what they are made from.
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
      ctx.body = "Too many wrong names or passwords came from here: try again in a minute.\n";
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

/** Who is asking, behind {@link authenticate}. */
export function visitorOf(ctx: Context): Visitor {
  return ctx.state["visitor"] as Visitor;
}

/** `user:password` of a Basic header; undefined when it is none. */
function credentials(header: string): string | undefined {
  const encoded = /^basic +([a-z0-9+/]+=*) *$/i.exec(header)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
}
