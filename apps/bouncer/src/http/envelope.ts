import type { Middleware } from "koa";
import type { Services } from "../services.ts";
import { Refusal, refusals } from "./refusal.ts";

/** Answers in the protocol's envelope, whatever comes of a request, and tells the log and the metrics of it. */
export function envelope({ log, measure }: Pick<Services, "log" | "measure">): Middleware {
  return async (ctx, next) => {
    const began = performance.now();
    let refusal: Refusal | undefined;
    try {
      await next();
    } catch (error) {
      refusal = error instanceof Refusal ? error : refusals.internal();
      // The path is one of ours, or unknown: it is not logged as it came.
      if (!(error instanceof Refusal)) log.error({ err: error }, "a request failed unexpectedly");
    }
    if (refusal) {
      const { status, code, message, fields, headers } = refusal;
      ctx.set(headers);
      ctx.status = status;
      ctx.body = { result: "error", msg: message, code, ...fields };
    }
    ctx.set("Cache-Control", "no-store");
    const { server, path, ...told } = ctx.state as RequestNotes;
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
        ...told,
        ms: Math.round(ms),
      },
      "request",
    );
  };
}

/** What is said of a request in the log, in `ctx.state`. */
export interface RequestNotes {
  /** One of ours. */
  path?: string;
  /** The id of the server. */
  server?: string;
  /** How many devices came to which end. */
  devices?: Readonly<Record<string, number>>;
}
