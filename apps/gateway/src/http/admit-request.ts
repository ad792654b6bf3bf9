import { type ApiError, errors, type Operation } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";
import type { Context } from "koa";
import { type Actor, type AuthFailure, type Credentials, incomingWebhookBot } from "./actor.ts";
import { bodyLimitOf } from "./body.ts";
import { readCredentials } from "./credentials.ts";
import type { Exchange } from "./exchange.ts";
import { accessRefusal } from "./gate.ts";
import type { Handler } from "./handler.ts";
import { markReplayed, readIdempotencyKey } from "./idempotency-header.ts";
import { applyVerdict } from "./limit.ts";
import { PayloadRequest } from "./payload.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import { withinDeadline } from "./within-deadline.ts";

/** A request whose route is known. */
export interface RoutedRequest<Services> {
  readonly ctx: Context;
  readonly exchange: Exchange;
  readonly deadline: RequestDeadline;
  readonly handler: Handler<Services>;
  /** The decoded parts of the path. */
  readonly path: object;
}

/** A request whose caller, rate limit and access have been checked. Its body has not been read. */
export interface AdmittedRequest<Services> extends RoutedRequest<Services> {
  readonly services: Services;
  /** Undefined if the operation reads no credentials. */
  readonly actor: Actor | undefined;
  /** The value of `Idempotency-Key`, if the operation takes keys. */
  readonly key: string | undefined;
  /** Why the actor may not use the operation. Only set for a request with an `Idempotency-Key`; others are refused before. */
  readonly refusal: ApiError | undefined;
  /** The body, if the operation takes a payload. */
  readonly payload: PayloadRequest | undefined;
}

/**
 * Finds the caller of a request, counts it against the rate limit and checks that the operation admits the caller.
 * @throws ApiError for every refusal
 */
export async function admitRequest<Services>(
  options: PipelineOptions<Services>,
  request: RoutedRequest<Services>,
): Promise<AdmittedRequest<Services>> {
  const { ctx, deadline, handler } = request;
  const { operation } = handler;
  const services = options.servicesWithin(deadline);
  const payload = operation.takesPayload ? new PayloadRequest(ctx, deadline) : undefined;
  let actor: Actor | undefined;
  if (operation.access !== "anyone") {
    const credentials = await credentialsOf(options, request, payload);
    const found = await findCaller(options, request, credentials, services);
    actor = identify(found, request, credentials);
    deadline.connectionLimit = options.connectionLimits.of(actor.id);
  }
  await countRequest(options, ctx, operation, actor);
  const key = actor && operation.idempotencyKey && readIdempotencyKey(ctx.req);
  if (key !== undefined) markReplayed(ctx, false);
  const refusal = actor && accessRefusal(operation, actor);
  // With a key, the stored answer comes before a refusal: the first request may have removed the caller's permission.
  if (refusal && key === undefined) throw refusal;
  return { services, actor, key, refusal, payload, ...request };
}

/** Reads the credentials from the header, or from a payload that has them. */
async function credentialsOf<Services>(
  options: PipelineOptions<Services>,
  { ctx, handler: { operation } }: RoutedRequest<Services>,
  payload: PayloadRequest | undefined,
): Promise<Credentials> {
  if (!payload) return readCredentials(ctx.req.headers.authorization);
  return payload.credentials({
    ip: ctx.ip,
    limit: bodyLimitOf(operation),
    bodyIdleMs: options.bodyIdleMs,
    admit: () => countRequest(options, ctx, operation, undefined),
  });
}

/** Finds the account of the request's credentials. */
function findCaller<Services>(
  { authenticate, outage }: PipelineOptions<Services>,
  { deadline, handler: { operation } }: RoutedRequest<Services>,
  credentials: Credentials,
  services: Services,
): Promise<Actor | AuthFailure> {
  const lookUp = () => authenticate(credentials, services);
  return withinDeadline(deadline, operation.longPoll ? outage.outlast(deadline, lookUp) : lookUp());
}

/**
 * Returns the account of the credentials. Records the account, or the cause of a refusal, for the log.
 * @throws ApiError unless the credentials belong to an account whose kind may use the operation
 */
function identify<Services>(
  actor: Actor | AuthFailure,
  { exchange, handler: { operation } }: RoutedRequest<Services>,
  credentials: Credentials,
): Actor {
  const refusal = credentials.email === undefined ? errors.invalidApiKey : errors.unauthorized;
  if ("refused" in actor) {
    exchange.why = actor.refused;
    if (actor.continuesElsewhere) throw errors.organizationContinuesElsewhere();
    throw actor.movedTo === undefined ? refusal() : errors.realmMoved(actor.movedTo);
  }
  exchange.user = actor.id;
  // The address of a webhook contains the key. With a person's key, every reader of the address could act as the person.
  if (operation.takesPayload && !actor.isBot) {
    exchange.why = "key of a person";
    throw refusal();
  }
  if (actor.botType === incomingWebhookBot && !operation.webhookBots) {
    exchange.why = "incoming-webhook bot";
    throw errors.unauthorized();
  }
  return actor;
}

/**
 * Counts a request against the rate limits, and sets their response headers.
 * @param actor undefined to count it for its address
 * @throws ApiError `RATE_LIMIT_HIT`
 */
async function countRequest<Services>(
  { limiter }: PipelineOptions<Services>,
  ctx: Context,
  operation: Operation,
  actor: Actor | undefined,
): Promise<void> {
  const verdict = await limiter.check({ operation, actor, ip: ctx.ip });
  if (verdict) applyVerdict(ctx, verdict);
}
