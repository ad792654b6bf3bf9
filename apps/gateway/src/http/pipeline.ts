import { errors, type Method, type Operation } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";
import type { Context } from "koa";
import { admitRequest } from "./admit-request.ts";
import { answerMoved, hasApiKey } from "./answer-moved.ts";
import { answerRequest } from "./answer-request.ts";
import type { Exchange } from "./exchange.ts";
import type { Handler } from "./handler.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import { readParameters } from "./read-parameters.ts";
import type { Route } from "./routes.ts";

/**
 * Runs the steps of http-contract.md §1 from the method on: everything up to the role gate is decided from path and
 * headers, before the body is read. The steps are separate functions, so that a waiting poll retains no more than it needs.
 * @param parts undecoded parts of the path
 * @throws ApiError for every refusal
 */
export async function runPipeline<Services>(
  options: PipelineOptions<Services>,
  ctx: Context,
  exchange: Exchange,
  deadline: RequestDeadline,
  route: Route<Handler<Services>>,
  parts: readonly string[],
): Promise<void> {
  exchange.path = route.path;
  exchange.isPage = route.isPage;
  const headersOfPath = options.headersOfPaths?.get(route.path);
  exchange.headers = headersOfPath?.all;
  const { movedTo } = exchange;
  if (movedTo !== undefined && ctx.method !== "OPTIONS" && !hasApiKeyAnywhere(ctx, route)) {
    answerMoved(ctx, exchange, movedTo);
    return;
  }
  checkServed(route, parts);
  if (ctx.method === "OPTIONS") {
    exchange.reply(204, "", { Allow: route.allowed.join(", "), ...headersOfPath?.options });
    return;
  }
  const handler = route.methods.get(methodOf(ctx, route));
  if (!handler) throw errors.methodNotAllowed(route.allowed);
  const path = decodePath(handler.operation, parts);
  const request = await admitRequest(options, { ctx, exchange, deadline, handler, path });
  const parameters = await readParameters(options, request);
  await answerRequest(options, request, parameters);
}

/**
 * Returns whether an operation of the route reads an API key from the request. The key then determines the organization,
 * not the host name, so keys of other organizations work at the address of an organization that has moved.
 */
function hasApiKeyAnywhere<Services>(ctx: Context, route: Route<Handler<Services>>): boolean {
  return [...route.methods.values()].some(({ operation }) => hasApiKey(ctx, operation));
}

/** Returns the method whose operation runs. tus lets clients that cannot send `PATCH` name it in a header (files.md §7). */
function methodOf<Services>(ctx: Context, route: Route<Handler<Services>>): Method {
  const sent = ctx.method as Method;
  if (sent === "HEAD") return route.methods.has("HEAD") ? "HEAD" : "GET";
  const override = ctx.get("X-HTTP-Method-Override").toUpperCase();
  return override !== "" && route.isTus ? (override as Method) : sent;
}

/** Checks that the operations of the route serve what the path names. @throws ApiError `NOT_FOUND` */
function checkServed<Services>(route: Route<Handler<Services>>, parts: readonly string[]): void {
  for (const { operation, isServed } of route.methods.values())
    if (isServed && !isServed(decodePath(operation, parts))) throw errors.notFound();
}

/** Decodes the parts of the path. @throws ApiError `NOT_FOUND` if a part is malformed, so that it cannot name anything */
function decodePath(operation: Operation, parts: readonly string[]): Record<string, unknown> {
  const path: Record<string, unknown> = {};
  let index = 0;
  for (const { name, parameter } of operation.pathDecoders) {
    const value = parameter.decode(parts[index++] ?? "");
    if (value === undefined) throw errors.notFound();
    path[name] = value;
  }
  return path;
}
