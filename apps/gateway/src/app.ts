import type { IncomingMessage } from "node:http";
import { allOperations, ApiError, errors, type Operation } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";
import { type IdempotencyKey, isAfterLastEvent } from "@carillon/domain";
import { KeyedSemaphore, type Logger, Semaphore } from "@carillon/kit";
import Koa from "koa";
import type { Actor, Authenticate } from "./http/actor.ts";
import { checked } from "./http/checked.ts";
import { matchHandlers } from "./http/completeness.ts";
import { Exchange } from "./http/exchange.ts";
import type { Handler } from "./http/handler.ts";
import { KeyedRequests } from "./http/keyed-requests.ts";
import { type FileIntake, noFileIntake } from "./http/file-intake.ts";
import { healthHandler } from "./http/health.ts";
import { noLimiter, type Limiter } from "./http/limit.ts";
import { Outage } from "./http/outage.ts";
import { runPipeline } from "./http/pipeline.ts";
import type { PathHeaders, PipelineOptions } from "./http/pipeline-options.ts";
import { withRequestDeadline } from "./http/request-deadline.ts";
import { requestLog, type RequestRecord } from "./http/request-log.ts";
import { routeMiddleware } from "./http/routes.ts";
import { tracedRequest } from "./http/traced-request.ts";
import { UnsentAnswers, type UnsentBounds } from "./http/unsent-answers.ts";
import { answerMoved } from "./http/answer-moved.ts";
import type { MovedTo } from "./moved-organizations.ts";
import { referenceHandlers } from "./reference/handlers.ts";
import { type WebClient, webClientHandlers } from "./web-client/handlers.ts";

/** Connections of the pool that one account may hold at once (http-contract.md §8.1). */
const connectionsOfAccount = 3;
/** Connections that all requests with an unknown sender may hold together: half of the pool, even under a flood. */
const connectionsOfUnknown = 5;

export interface AppOptions<Services, A extends Actor = Actor> {
  /** The served operations; unless given all declared ones. */
  readonly operations?: readonly Operation[];
  readonly handlers: readonly Handler<Services>[];
  /** Passed to every handler. */
  readonly services: Services;
  /** Binds the services to the deadline of one request; unless given they are passed unchanged. */
  readonly bindServices?: (services: Services, deadline: RequestDeadline) => Services;
  readonly authenticate: Authenticate<A, Services>;
  readonly limiter?: Limiter;
  /** The address that a request comes from; unless given the peer of the connection. */
  readonly clientAddress?: (request: IncomingMessage) => string;
  readonly log: Logger;
  /** Called for every answered request, for the metrics. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** For tests: answers and refusals that the operation does not declare fail, with the reason in `msg`. */
  readonly checkResults?: boolean;
  /**
   * Milliseconds that a request has, 30,000 unless given. Long polls have no deadline, but wait no longer than that for
   * a database that is away.
   */
  readonly deadlineMs?: number;
  /**
   * Milliseconds, 60,000 unless given, after which a client that reads nothing of a large answer is disconnected: the
   * answer occupies memory until then.
   */
  readonly stalledMs?: number;
  /** Milliseconds, 10,000 unless given, in which at least one byte of a large body must arrive. */
  readonly bodyIdleMs?: number;
  /** Bounds of large answers that clients have not read. */
  readonly unsentBounds?: Partial<UnsentBounds> | undefined;
  /** Behind `GET /health`: rejects when the process cannot serve. */
  readonly health?: () => Promise<unknown>;
  /**
   * Fires when the process is about to end: polls stop waiting for the database, and each answer is the last on its
   * connection.
   */
  readonly closing?: AbortSignal;
  /** Running requests with an `Idempotency-Key`; default: a registry of this app alone. */
  readonly keyed?: KeyedRequests;
  /**
   * Finds the outcome of an earlier request with the key, for a request that may not run itself; default: finds none.
   */
  readonly findEarlierOutcome?: (
    key: IdempotencyKey,
    services: Services,
  ) => Promise<Error | undefined>;
  /** Body limits in bytes that depend on the configuration, by operation. */
  readonly bodyLimits?: ReadonlyMap<string, number>;
  /** Response headers by path, in addition to the usual ones. */
  readonly headersOfPaths?: ReadonlyMap<string, PathHeaders>;
  /** Stores the files of requests; unless given there is no file store. */
  readonly files?: FileIntake;
  /** The address that clients use, for the OpenAPI document. */
  readonly serverUrl?: string;
  /** Returns the new address of an organization that has moved. By default, none has moved. */
  readonly movedTo?: MovedTo;
  /** The browser client; unless given none is served. */
  readonly webClient?: WebClient | undefined;
}

/**
 * Builds the gateway as a Koa application, which does not listen.
 * @throws StartupError when operations and handlers do not match
 */
export function buildApp<Services, A extends Actor = Actor>(options: AppOptions<Services, A>): Koa {
  const { log } = options;
  const route = routeRequests(options);
  const logRequest = requestLog(log);
  const app = new Koa();
  app.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_STREAM_PREMATURE_CLOSE" && error.code !== "ECONNRESET")
      log.error({ err: error }, "answer could not be sent");
  });
  app.use((ctx) => tracedRequest(ctx, () => answer(options, route, logRequest, ctx)));
  return app;
}

/** Makes the middleware that runs the operation of a request's path within the request's deadline. */
function routeRequests<Services, A extends Actor>(options: AppOptions<Services, A>): Routing {
  const operations = options.operations ?? allOperations;
  const handlers = matchHandlers(operations, options.handlers);
  const pipeline = pipelineOptions(options);
  const unknown = new Semaphore(connectionsOfUnknown);
  return routeMiddleware<Handler<Services>>(
    [
      ...(options.checkResults ? handlers.map(checked) : handlers),
      ...referenceHandlers(operations, options.serverUrl ?? "/"),
      ...(options.webClient ? webClientHandlers(options.webClient) : []),
      ...(options.health ? [healthHandler(options.health)] : []),
    ],
    (ctx, found, parts) =>
      withRequestDeadline(ctx, unknown, pipeline.deadlineMs, (deadline) =>
        runPipeline(pipeline, ctx, ctx["exchange"] as Exchange, deadline, found, parts),
      ),
  );
}

/** Makes the parts and limits that all requests share. */
function pipelineOptions<Services, A extends Actor>(
  options: AppOptions<Services, A>,
): PipelineOptions<Services> {
  const {
    services,
    bindServices = () => services,
    deadlineMs = 30_000,
    bodyIdleMs = 10_000,
    closing,
  } = options;
  const outage = new Outage(options.health ?? (async () => {}), deadlineMs);
  closing?.addEventListener("abort", () => outage.close());
  return {
    outage,
    unsent: new UnsentAnswers(options.unsentBounds),
    servicesWithin: (deadline: RequestDeadline) => bindServices(services, deadline),
    authenticate: options.authenticate,
    limiter: options.limiter ?? noLimiter,
    connectionLimits: new KeyedSemaphore<number>(connectionsOfAccount),
    keyed: options.keyed ?? new KeyedRequests(),
    findEarlierOutcome: options.findEarlierOutcome ?? (async () => undefined),
    bodyLimits: options.bodyLimits,
    headersOfPaths: options.headersOfPaths,
    bodyIdleMs,
    deadlineMs,
    files: options.files ?? noFileIntake,
  };
}

type Routing = ReturnType<typeof routeMiddleware>;

type AnswerOptions = Pick<
  AppOptions<unknown>,
  "checkResults" | "clientAddress" | "closing" | "log" | "movedTo" | "onRequest" | "stalledMs"
>;

/** Answers a request, whatever happens, and logs it when its answer is complete. */
async function answer(
  options: AnswerOptions,
  route: Routing,
  logRequest: (record: RequestRecord) => void,
  ctx: Koa.Context,
): Promise<RequestRecord> {
  const exchange = new Exchange(ctx);
  ctx["exchange"] = exchange;
  if (options.clientAddress) ctx.request.ip = options.clientAddress(ctx.req);
  try {
    // Health checks are about this server, whatever their host name.
    exchange.movedTo = ctx.path === "/health" ? undefined : options.movedTo?.(ctx.hostname);
    await route(ctx, async () => {
      if (exchange.movedTo === undefined) throw errors.notFound();
      answerMoved(ctx, exchange, exchange.movedTo);
    });
  } catch (error) {
    exchange.refuse(refusalOf(options, exchange, error));
  }
  if (options.closing?.aborted) ctx.res.shouldKeepAlive = false;
  const record = exchange.record();
  options.onRequest?.(record);
  exchange.watch(options.stalledMs ?? 60_000);
  if (!exchange.inPieces || ctx.res.closed) logRequest(record);
  else ctx.res.once("close", () => logRequest({ ...record, bytes: exchange.bytes }));
  return record;
}

/** Returns the refusal that answers an error, and logs an error that the client did not cause. */
function refusalOf(
  { log, checkResults }: AnswerOptions,
  { requestId, path }: Exchange,
  error: unknown,
): ApiError {
  const refusal = isAfterLastEvent(error) ? errors.organizationReadOnly() : error;
  if (refusal instanceof ApiError) {
    const { cause } = refusal;
    if (cause !== undefined)
      log.warn({ err: cause, requestId, path }, "request refused for a passing failure");
    return refusal;
  }
  log.error({ err: error, requestId, path }, "request failed unexpectedly");
  return checkResults ? new ApiError("INTERNAL_ERROR", String(error)) : errors.internalError();
}
