import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { RequestDeadline } from "@carillon/db";
import type { IdempotencyKey, StoredFile } from "@carillon/domain";
import type { ApiError, InputOf, Operation, PathOf, ResultOf } from "@carillon/contract";
import type { Context } from "koa";
import type { Actor } from "./actor.ts";
import type { Paged } from "./pages.ts";
import type { PayloadBody } from "./payload.ts";
import type { StreamedRequest } from "./streamed-request.ts";

/** The data of a request for an action. */
export interface HandlerContext<Op extends Operation, Services, A extends Actor = Actor> {
  /** The decoded parameters, `undefined` if an optional one is absent. */
  readonly input: InputOf<Op>;
  readonly path: PathOf<Op>;
  /** Undefined if the operation reads no credentials. */
  readonly actor: Op["access"] extends "anyone" ? undefined : A;
  /** Name of the sending program (http-contract.md §9). */
  readonly client: string;
  readonly requestId: string;
  /** Ends at the deadline, and when the client hangs up; for long polls only when the client hangs up. */
  readonly deadline: Pick<RequestDeadline, "reason" | "onEnd">;
  /** Fires when the deadline ends. */
  readonly signal: AbortSignal;
  readonly services: Services;
  /** The file of the request, if the operation takes one: it is in the file store, and nothing refers to it yet. */
  readonly file: StoredFile | undefined;
  /** The request itself, if the operation has a `protocol`. */
  readonly request: StreamedRequest | undefined;
  /** The body, if the operation takes a payload. */
  readonly payload: PayloadBody | undefined;
  /** The request's key, if it has one and the operation takes one. */
  readonly idempotencyKey: IdempotencyKey | undefined;
  /** The `Host` header, without the port. */
  readonly host: string;
  readonly ip: string;
  /** The request's headers, for pages. */
  readonly headers: IncomingHttpHeaders;
}

/** The answer of a `raw` operation. */
export interface RawReply {
  /** 200 unless given */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable | RawBody;
}

/** A body whose answer depends on the headers of the request, such as the range that it asks for. */
export interface RawBody {
  /** Makes the answer to a request, or throws ApiError if the body cannot be read. */
  answerTo(
    ctx: Context,
    headers?: Readonly<Record<string, string>>,
  ): RawAnswer | Promise<RawAnswer>;
}

/** The answer of a `RawBody`. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable;
}

/** An operation and its action. */
export interface Handler<Services = never> {
  readonly operation: Operation;
  readonly run: (context: HandlerContext<Operation, Services>) => Promise<object | void>;
  /**
   * For an operation that takes a file: checks the request before the body is read. A returned error is thrown only after
   * the body proves to have exactly one file, because errors about the number of files come first.
   */
  readonly beforeFile?:
    | ((request: BeforeFile<Services>) => Promise<ApiError | undefined>)
    | undefined;
  /** Returns whether the path names something that the operation serves; without this any path does. */
  readonly isServed?: ((path: object) => boolean) | undefined;
  /**
   * For an operation that takes a payload: checks the bytes of the body before they are decoded.
   * @throws ApiError
   */
  readonly beforePayload?: ((request: BeforePayload<Services>) => void) | undefined;
}

/** The data of a request whose payload has not been decoded. */
export interface BeforePayload<Services, A extends Actor = Actor> extends BeforeFile<Services, A> {
  readonly headers: IncomingHttpHeaders;
  /** The body, decompressed. */
  readonly bytes: Buffer;
}

/** The data of a request whose body has not been read. */
export interface BeforeFile<Services, A extends Actor = Actor> {
  readonly path: object;
  readonly actor: A;
  readonly services: Services;
}

/** Binds operations to actions that get the application's services. */
export function handlerFor<Services, A extends Actor = Actor>() {
  return function handle<Op extends Operation>(
    operation: Op,
    action: (context: HandlerContext<Op, Services, A>) => Promise<Paged<ResultOf<Op>>>,
  ): Handler<Services> {
    return bind(operation, action);
  };
}

/** Binds operations declared `raw`, whose answers are sent without the envelope, to actions. */
export function rawHandlerFor<Services, A extends Actor = Actor>() {
  return function handleRaw<Op extends Operation>(
    operation: Op,
    action: (context: HandlerContext<Op, Services, A>) => Promise<RawReply>,
  ): Handler<Services> {
    return bind(operation, action);
  };
}

function bind<Services>(operation: Operation, action: unknown): Handler<Services> {
  // The pipeline builds the context from the same operation, so the action's types hold.
  return { operation, run: action as Handler<Services>["run"] };
}
