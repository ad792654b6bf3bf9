import type { Middleware } from "koa";
import type { Services } from "../services.ts";
import { Refusal, refusals } from "./refusal.ts";

/** Answers every request in the protocol's envelope, logs and measures it. */
export function envelope({ log, measure }: Pick<Services, "log" | "measure">): Middleware {
  return async (ctx, next) => {
    const began = performance.now();
    let refusal: Refusal | undefined;
    try {
      await next();
    } catch (error) {
      refusal = error instanceof Refusal ? error : refusals.internal();
      // Only known paths are logged.
      if (!(error instanceof Refusal)) log.error({ err: error }, "request failed");
    }
    if (refusal) {
      const { status, code, message, fields, headers } = refusal;
      ctx.set(headers);
      ctx.status = status;
      ctx.body = { result: "error", msg: message, code, ...fields };
    }
    ctx.set("Cache-Control", "no-store");
    const { server, path, ...notes } = ctx.state as RequestNotes;
    const ms = performance.now() - began;
    const operation = path ?? "none";
    measure?.request({ operation, status: ctx.status, seconds: ms / 1_000 });
    const level = ctx.status >= 500 ? "error" : ctx.status >= 400 ? "warn" : "info";
    log[level](
      {
        method: ctx.method,
        path: path ?? null,
        status: ctx.status,
        ...(refusal && { code: refusal.code }),
        ...(server !== undefined && { server }),
        ...notes,
        ms: Math.round(ms),
      },
      "request",
    );
  };
}

/** Log fields of a request, kept in `ctx.state`. */
export interface RequestNotes {
  /** The path, if the bouncer serves it. */
  path?: string;
  /** The id of the server. */
  server?: string;
  /** Number of devices by outcome. */
  devices?: Readonly<Record<string, number>>;
}
