import { isTracing, traced } from "@carillon/kit";
import type { Context } from "koa";
import type { RequestRecord } from "./request-log.ts";

/**
 * Answers a request within a span, which belongs to the trace that the request's `traceparent` header names. Health probes
 * get none.
 */
export async function tracedRequest(
  ctx: Context,
  answer: () => Promise<RequestRecord>,
): Promise<void> {
  if (!isTracing() || ctx.path === "/health") {
    await answer();
    return;
  }
  const { method } = ctx;
  const attributes = { "http.request.method": method };
  await traced({ name: method, kind: "server", attributes, headers: ctx.headers }, async (span) => {
    const { path, status, requestId, user, code } = await answer();
    if (path !== null) span?.updateName(`${method} ${path}`);
    span?.setAttributes({
      ...(path !== null && { "http.route": path }),
      "http.response.status_code": status,
      "carillon.request_id": requestId,
      ...(user !== undefined && { "carillon.user_id": user }),
      ...(code !== undefined && { "error.type": code }),
    });
  });
}
