import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Logger } from "@carillon/kit";
import type { Context, Middleware } from "koa";
import type { Login, Role } from "../credentials.ts";

/** Who is asking. */
export interface Visitor {
  readonly role: Role;
  readonly user: string;
}

/** HTTP Basic for everything behind it. Comparing takes the same time whatever is wrong. */
export function authenticate(logins: readonly Login[], log: Logger): Middleware {
  // Digests under a key of this process are of one length, and tell nothing about what they are made from.
  const key = randomBytes(32);
  const digest = (text: string) => createHmac("sha256", key).update(text).digest();
  const known = logins.map(({ role, user, password }) => ({
    visitor: { role, user },
    digest: digest(`${user}:${password}`),
  }));

  return async (ctx, next) => {
    const given = credentials(ctx.get("authorization"));
    const presented = digest(given ?? "");
    let visitor: Visitor | undefined;
    for (const login of known) {
      if (timingSafeEqual(login.digest, presented)) visitor = login.visitor;
    }
    if (visitor === undefined) {
      if (given !== undefined) log.warn({ ip: ctx.ip }, "wrong credentials for the dashboard");
      ctx.status = 401;
      ctx.set("WWW-Authenticate", 'Basic realm="Carillon dashboard", charset="UTF-8"');
      ctx.body = "The dashboard asks for the name and password of its operator or viewer.\n";
      return;
    }
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
