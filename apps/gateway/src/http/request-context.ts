import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";
import type { IdempotencyKey, StoredFile } from "@carillon/domain";
import type { Context } from "koa";
import type { Actor } from "./actor.ts";
import type { AdmittedRequest } from "./admit-request.ts";
import type { HandlerContext } from "./handler.ts";
import type { PayloadBody } from "./payload.ts";
import type { RequestParameters } from "./read-parameters.ts";
import type { StreamedRequest } from "./streamed-request.ts";

type Untyped = "input" | "path" | "actor";

/** The context of handlers. A class, because its getters make signal, host, address and headers only when they are used. */
export class RequestContext<Services> implements Omit<
  HandlerContext<Operation, Services>,
  Untyped
> {
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
    request: AdmittedRequest<Services>,
    parameters: RequestParameters,
    idempotencyKey: IdempotencyKey | undefined,
  ) {
    this.input = parameters.input;
    this.path = request.path;
    this.actor = request.actor;
    this.client = parameters.client;
    this.requestId = request.exchange.requestId;
    this.services = request.services;
    this.file = parameters.file;
    this.idempotencyKey = idempotencyKey;
    this.deadline = request.deadline;
    this.request = parameters.streamed;
    this.payload = parameters.payload;
    this.#ctx = request.ctx;
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
