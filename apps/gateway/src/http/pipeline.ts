import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
  type ApiError,
  decodeInput,
  errors,
  type Method,
  type Operation,
} from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";
import type { IdempotencyKey, StoredFile } from "@carillon/domain";
import type { KeyedSemaphore } from "@carillon/kit";
import type { Context } from "koa";
import {
  incomingWebhookBot,
  type Actor,
  type Authenticate,
  type AuthFailure,
  type Credentials,
} from "./actor.ts";
import { bodyLimitOf, readBody } from "./body.ts";
import { clientName } from "./client-name.ts";
import { readCredentials } from "./credentials.ts";
import { encodingFor } from "./compression.ts";
import { writeSuccess } from "./envelope.ts";
import type { Exchange } from "./exchange.ts";
import { Fields } from "./fields.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { accessRefusal } from "./gate.ts";
import { answerMoved, takesKey } from "./answer-moved.ts";
import type { Handler, HandlerContext, RawReply } from "./handler.ts";
import type { FileIntake } from "./file-intake.ts";
import { receiveFile } from "./receive-file.ts";
import { keyId, markReplayed, readIdempotencyKey } from "./idempotency-header.ts";
import { ignoredParameters } from "./ignored.ts";
import type { KeyedRequests, KeyIdentity } from "./keyed-requests.ts";
import { applyVerdict, type Limiter } from "./limit.ts";
import { type PayloadBody, PayloadRequest } from "./payload.ts";
import { keyOfAddress } from "./key-of-address.ts";
import { limitRendering } from "./rendering-limit.ts";
import type { Outage } from "./outage.ts";
import type { Route } from "./routes.ts";
import { isStreamed, readStreamedBody } from "./streamed-body.ts";
import { StreamedRequest } from "./streamed-request.ts";
import type { Lease, UnsentAnswers } from "./unsent-answers.ts";
import { withinDeadline } from "./within-deadline.ts";

export interface PipelineOptions<Services> {
  /** Binds the services to one request. */
  readonly servicesWithin: (deadline: RequestDeadline) => Services;
  readonly authenticate: Authenticate<Actor, Services>;
  readonly limiter: Limiter;
  /** Connections of the pool, limited for each account. */
  readonly connectionLimits: KeyedSemaphore<number>;
  /** Memory for large answers. */
  readonly unsent: UnsentAnswers;
  /** Lets polls wait for the database. */
  readonly outage: Outage;
  /** Requests with an `Idempotency-Key`. */
  readonly keyed: KeyedRequests;
  /**
   * For a refused request: returns the error that ends it if an earlier request with its key was carried out, such as a
   * `StoredAnswer`; undefined if there was none.
   */
  readonly findEarlierOutcome: (
    key: IdempotencyKey,
    services: Services,
  ) => Promise<Error | undefined>;
  /** Body limits in bytes that depend on the configuration, by operation. */
  readonly bodyLimits?: ReadonlyMap<string, number> | undefined;
  /** Response headers of all requests to a path, and those of `OPTIONS`. */
  readonly headersOfPaths?: ReadonlyMap<string, PathHeaders> | undefined;
  /** Milliseconds in which at least one byte of a large body must arrive; three times as many for a file. */
  readonly bodyIdleMs: number;
  /** Milliseconds that a request has. */
  readonly deadlineMs: number;
  /** Stores the files of requests. */
  readonly files: FileIntake;
}

/** Response headers of one path. */
export interface PathHeaders {
  readonly all: Readonly<Record<string, string>>;
  /** Additional headers of `OPTIONS`. */
  readonly options: Readonly<Record<string, string>>;
}

/**
 * Runs the steps of http-contract.md §1 from the method on: everything up to the role gate is decided from path and
 * headers, before the body is read.
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
  const ofPath = options.headersOfPaths?.get(route.path);
  exchange.headers = ofPath?.all;
  const { movedTo } = exchange;
  if (movedTo !== undefined && ctx.method !== "OPTIONS") {
    // The organization of a request with a key is that of the key, so keys of other organizations can be used here.
    const ofHost = [...route.methods.values()].every(({ operation }) => !takesKey(ctx, operation));
    if (ofHost) {
      answerMoved(ctx, exchange, movedTo);
      return;
    }
  }
  checkServed(route, parts);
  if (ctx.method === "OPTIONS") {
    exchange.reply(204, "", { Allow: route.allowed.join(", "), ...ofPath?.options });
    return;
  }
  const method = methodOf(ctx, route);
  const handler = route.methods.get(method);
  if (!handler) throw errors.methodNotAllowed(route.allowed);
  const { operation } = handler;
  const path = decodePath(operation, parts);

  // Separate functions from here on, so that a waiting poll retains no more than it needs.
  const services = options.servicesWithin(deadline);
  let actor: Actor | undefined;
  const payload = operation.takesPayload ? new PayloadRequest(ctx, deadline) : undefined;
  if (operation.access !== "anyone") {
    const credentials = payload
      ? await payload.credentials({
          ip: ctx.ip,
          limit: bodyLimitOf(operation),
          bodyIdleMs: options.bodyIdleMs,
          admit: async () => {
            const admitted = await options.limiter.check({ operation, actor, ip: ctx.ip });
            if (admitted) applyVerdict(ctx, admitted);
          },
        })
      : readCredentials(ctx.req.headers.authorization);
    const found = await findCaller(options, credentials, operation, deadline, services);
    actor = identify(found, exchange, operation, credentials);
    deadline.connectionLimit = options.connectionLimits.of(actor.id);
  }
  const verdict = await options.limiter.check({ operation, actor, ip: ctx.ip });
  if (verdict) applyVerdict(ctx, verdict);
  const key = actor && operation.idempotencyKey && readIdempotencyKey(ctx.req);
  if (key !== undefined) markReplayed(ctx, false);
  const refusal = actor && accessRefusal(operation, actor);
  // With a key, the stored answer comes before a refusal: the first request may have removed the caller's permission.
  if (refusal && key === undefined) throw refusal;

  const refusalOfFile =
    actor && handler.beforeFile
      ? await withinDeadline(deadline, handler.beforeFile({ path, actor, services }))
      : undefined;
  const parameters = await readParameters(
    options,
    ctx,
    operation,
    actor,
    deadline,
    key === undefined ? undefined : path,
    payload && {
      request: payload,
      check: (bytes) => {
        const { headers } = ctx.req;
        if (actor) handler.beforePayload?.({ path, actor, services, headers, bytes });
      },
    },
    refusalOfFile,
  );
  const { input, ignored, client, fingerprint, file } = parameters;
  const requestId = exchange.requestId;
  const run = async (idempotencyKey?: IdempotencyKey) => {
    if (refusal)
      throw (
        (idempotencyKey && (await options.findEarlierOutcome(idempotencyKey, services))) ?? refusal
      );
    const request = { input, path, actor, client, requestId, services, file, idempotencyKey };
    const { request: streamed, payload: body } = parameters;
    const context = new RequestContext(request, ctx, deadline, streamed, body);
    const handle = () => handler.run(context as unknown as HandlerContext<Operation, Services>);
    return actor ? limitRendering({ operation, input }, actor.id, deadline, handle) : handle();
  };
  if (operation.longPoll) deadline.unlimit();
  const lease = actor
    ? await reserveMemory(options.unsent, operation, actor, deadline)
    : await reserveFile(options.unsent, operation, keyOfAddress(ctx.ip), deadline);
  try {
    // A poll gets an answer even when its client has hung up; a handler that reads the body stores what has arrived.
    const answer = await (operation.longPoll
      ? options.outage.outlast(deadline, run)
      : operation.protocol
        ? run()
        : key !== undefined && fingerprint && actor
          ? runOnce({ id: keyId(actor.id, operation, key), accountId: actor.id, fingerprint })
          : withinDeadline(deadline, run()));
    if (file && operation.takesPicture) await discardFile(options, file);
    if (operation.raw) {
      await withinDeadline(deadline, replyRaw(ctx, exchange, deadline, answer as RawReply));
      if (lease) exchange.holdFile(lease);
      return;
    }
    const encoding = encodingFor(ctx);
    const outgoing = await writeSuccess(answer, ignored, encoding);
    lease?.settle(outgoing.bytes, outgoing.isPaged, operation.method === "GET");
    exchange.send(outgoing, encoding, lease);
  } catch (error) {
    lease?.release();
    if (file) await discardFile(options, file);
    throw error;
  }

  async function runOnce(identity: KeyIdentity) {
    const { answer, isReplayed } = await options.keyed.run(identity, deadline, (taken) =>
      withinDeadline(deadline, run(taken)),
    );
    if (isReplayed) markReplayed(ctx, true);
    return answer;
  }
}

/** Returns the method whose operation runs. tus lets clients that cannot send `PATCH` name it in a header (files.md §7). */
function methodOf<Services>(ctx: Context, route: Route<Handler<Services>>): Method {
  const sent = ctx.method as Method;
  if (sent === "HEAD") return route.methods.has("HEAD") ? "HEAD" : "GET";
  const override = ctx.get("X-HTTP-Method-Override").toUpperCase();
  return override !== "" && route.isTus ? (override as Method) : sent;
}

/** Reserves memory for the answer, if answers to the operation may be large. */
async function reserveMemory(
  unsent: UnsentAnswers,
  operation: Operation,
  actor: Actor,
  deadline: RequestDeadline,
): Promise<Lease | undefined> {
  if (operation.raw) return reserveFile(unsent, operation, actor.id, deadline);
  if (operation.method !== "GET" && !operation.largeAnswer) return undefined;
  const kind = `${actor.realmId} ${operation.id}`;
  const answer = { accountId: actor.id, kind, isWhole: operation.largeAnswer === true };
  return operation.longPoll ? unsent.open(answer) : unsent.enter(answer, deadline);
}

/** Bytes of memory that sending a file takes: a chunk of the store, and the buffers of the socket. */
const fileMemory = 256 * 1024;

/** Reserves memory for sending a file. @param reader the account, or the key of an address */
async function reserveFile(
  unsent: UnsentAnswers,
  { raw, rateBucket }: Operation,
  reader: number,
  deadline: RequestDeadline,
): Promise<Lease | undefined> {
  if (!raw || rateBucket !== "files") return undefined;
  return unsent.enter({ accountId: reader, kind: "files", bytes: fileMemory }, deadline);
}

async function replyRaw(
  ctx: Context,
  exchange: Exchange,
  deadline: RequestDeadline,
  { status = 200, headers, body }: RawReply,
): Promise<void> {
  if (typeof body === "string" || !("answerTo" in body)) {
    exchange.reply(status, body, headers);
    return;
  }
  const outgoing = await body.answerTo(ctx, headers);
  if (deadline.reason) {
    // The request was answered meanwhile: nothing else would close the open file.
    if (outgoing.body instanceof Readable) outgoing.body.destroy();
    return;
  }
  exchange.reply(outgoing.status, outgoing.body, outgoing.headers);
}

/** Finds the account of the request's credentials. */
function findCaller<Services>(
  { authenticate, outage }: PipelineOptions<Services>,
  credentials: Credentials,
  operation: Operation,
  deadline: RequestDeadline,
  services: Services,
): Promise<Actor | AuthFailure> {
  const lookUp = () => authenticate(credentials, services);
  return withinDeadline(deadline, operation.longPoll ? outage.outlast(deadline, lookUp) : lookUp());
}

/**
 * Reads the request's parameters from query and body.
 * @param fingerprintWith the decoded path, for a request with a key
 */
async function readParameters<Services>(
  options: PipelineOptions<Services>,
  ctx: Context,
  operation: Operation,
  actor: Actor | undefined,
  deadline: RequestDeadline,
  fingerprintWith: object | undefined,
  payload: { request: PayloadRequest; check: (bytes: Buffer) => void } | undefined,
  refusalOfFile: ApiError | undefined,
) {
  const { bodyLimits, bodyIdleMs, deadlineMs, files } = options;
  const fields = payload?.request.fields ?? new Fields(fingerprintWith !== undefined);
  if (!payload && ctx.querystring !== "") await fields.addForm(Buffer.from(ctx.querystring));
  const limit = bodyLimits?.get(operation.id) ?? bodyLimitOf(operation);
  let file: StoredFile | undefined;
  const request =
    actor && (operation.takesFile || operation.protocol)
      ? new StreamedRequest(
          ctx,
          operation.method,
          { accountId: actor.id, deadline },
          { idleMs: 3 * bodyIdleMs, deadlineMs },
        )
      : undefined;
  if (operation.takesFile && actor && request) {
    file = await withinDeadline(
      deadline,
      receiveFile(ctx, fields, operation, files, limit, {
        request,
        deadline,
        realmId: actor.realmId,
        refusal: refusalOfFile,
      }),
    );
  } else if (payload && actor) {
    const sender = { accountId: actor.id, deadline, idleMs: bodyIdleMs };
    await withinDeadline(deadline, payload.request.read(limit, sender, payload.check));
  } else if (operation.method !== "GET" && !operation.protocol) {
    const sender = actor && { accountId: actor.id, deadline, idleMs: bodyIdleMs };
    await withinDeadline(
      deadline,
      sender && isStreamed(operation)
        ? readStreamedBody(ctx, fields, limit, operation, sender)
        : readBody(ctx, fields, limit, sender),
    );
  }
  try {
    return {
      input: decodeInput(operation, fields.texts, fields.reads),
      ignored: ignoredParameters(operation, fields),
      client: clientName(ctx.req.headers["user-agent"], fields.texts.get("client")),
      file,
      request,
      payload: payload?.request.body,
      fingerprint: fingerprintWith && (await fingerprintOf(operation, fingerprintWith, fields)),
    };
  } catch (error) {
    if (file) await discardFile(options, file);
    throw error;
  }
}

/** Milliseconds for which an answer waits until the file of the refused request is deleted. */
const discardMs = 1_000;

/** Deletes the file of a refused request, after the answer if the database or the file store does not answer now. */
async function discardFile(
  { files }: { readonly files: FileIntake },
  { key }: StoredFile,
): Promise<void> {
  await Promise.race([files.discard(key), pause(discardMs, undefined, { ref: false })]);
}

/** The facts of a request before its handler runs. */
interface Known<Services> extends Pick<
  HandlerContext<Operation, Services>,
  "client" | "requestId" | "services" | "idempotencyKey"
> {
  readonly file: StoredFile | undefined;
  readonly input: object;
  readonly path: object;
  readonly actor: Actor | undefined;
}

/** The context of handlers. A class, so that signal, host, address and headers are only made when used. */
class RequestContext<Services> implements Known<Services> {
  readonly input: object;
  readonly path: object;
  readonly actor: Actor | undefined;
  readonly client: string;
  readonly requestId: string;
  readonly services: Services;
  readonly file: StoredFile | undefined;
  readonly idempotencyKey: IdempotencyKey | undefined;
  readonly deadline: RequestDeadline;
  readonly request: StreamedRequest | undefined;
  readonly payload: PayloadBody | undefined;
  readonly #ctx: Context;

  constructor(
    request: Known<Services>,
    ctx: Context,
    deadline: RequestDeadline,
    streamed: StreamedRequest | undefined,
    payload: PayloadBody | undefined,
  ) {
    this.input = request.input;
    this.path = request.path;
    this.actor = request.actor;
    this.client = request.client;
    this.requestId = request.requestId;
    this.services = request.services;
    this.file = request.file;
    this.idempotencyKey = request.idempotencyKey;
    this.deadline = deadline;
    this.request = streamed;
    this.payload = payload;
    this.#ctx = ctx;
  }

  get signal(): AbortSignal {
    return this.deadline.signal;
  }
  get host(): string {
    return this.#ctx.hostname;
  }
  get ip(): string {
    return this.#ctx.ip;
  }
  get headers(): IncomingHttpHeaders {
    return this.#ctx.req.headers;
  }
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

/**
 * Returns the account of the credentials, and records it for the log.
 * @throws ApiError `UNAUTHORIZED` unless the credentials belong to an account that may use the operation
 */
function identify(
  actor: Actor | AuthFailure,
  exchange: Exchange,
  operation: Operation,
  credentials: Credentials,
): Actor {
  const refusal = credentials.email === undefined ? errors.invalidApiKey : errors.unauthorized;
  if ("refused" in actor) {
    exchange.why = actor.refused;
    if (actor.continuesElsewhere) throw errors.organizationContinuesElsewhere();
    throw actor.movedTo === undefined ? refusal() : errors.realmMoved(actor.movedTo);
  }
  exchange.user = actor.id;
  // Addresses of webhooks contain the key: with a person's key, whoever reads the address could act as the person.
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
