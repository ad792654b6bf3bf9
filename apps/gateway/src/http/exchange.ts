import { Readable, Transform } from "node:stream";
import type { ApiError } from "@carillon/contract";
import { uniqueId } from "@carillon/kit";
import type { Context } from "koa";
import type { Encoding } from "./compression.ts";
import type { Outgoing } from "./envelope.ts";
import { errorText, headersOf, statusOf } from "./error-response.ts";
import { refusalPage } from "./page.ts";
import type { RequestRecord } from "./request-log.ts";
import { uncounted, type Lease } from "./unsent-answers.ts";
import { discardBody } from "./unread-body.ts";

/** Headers of every answer (http-contract.md §6). They do not allow credentials, so browsers send no cookies. */
export const corsHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Headers": "Authorization, Idempotency-Key",
  "Access-Control-Expose-Headers":
    "Idempotent-Replayed, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset",
  "Access-Control-Allow-Methods": "GET, POST, DELETE, PUT, PATCH, HEAD",
};

const acceptableId = /^[\w.-]{1,64}$/;

/** One request and its answer: sends the answer, and holds what the log records. */
export class Exchange {
  readonly requestId: string;
  readonly startedAt = performance.now();
  /** The path template. */
  path: string | null = null;
  user: number | undefined;
  code: string | undefined;
  why: string | undefined;
  /** The new address of the organization with this host name, if that has moved to another installation. */
  movedTo: string | undefined;
  /** Whether the path serves a page for people. Its errors are pages too, and other sites may not read them. */
  isPage = false;
  /** Headers of every answer of the path, in addition to or instead of `corsHeaders`. */
  headers: Readonly<Record<string, string>> | undefined;
  /** Bytes of the answer's body; of a streamed body, the bytes produced so far. */
  bytes = 0;
  /** Whether the body is produced while it is sent. */
  inPieces = false;
  readonly #ctx: Context;
  #lease: Lease | undefined;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    const given = ctx.req.headers["x-request-id"];
    this.requestId = typeof given === "string" && acceptableId.test(given) ? given : uniqueId();
  }

  /**
   * Sets the answer: JSON unless the headers say otherwise.
   * @param body if it is streamed and producing a piece fails, the connection ends and the answer stays incomplete
   */
  reply(
    status: number,
    body: string | Buffer | Readable | AsyncIterable<Buffer>,
    headers?: Readonly<Record<string, string>>,
  ): void {
    const { req, res } = this.#ctx;
    const rest = discardBody(req);
    this.#ctx.status = status;
    if (!this.isPage)
      for (const name in corsHeaders)
        res.setHeader(name, corsHeaders[name as keyof typeof corsHeaders]);
    for (const name in this.headers) res.setHeader(name, this.headers[name] ?? "");
    res.setHeader("X-Request-Id", this.requestId);
    if (status !== 204) res.setHeader("Content-Type", "application/json");
    if (headers) for (const name of Object.keys(headers)) res.setHeader(name, headers[name] ?? "");
    if (rest) res.setHeader("Connection", "close");
    this.#ctx.body = status === 204 ? null : this.#asBody(body);
    this.bytes = this.#ctx.response.length ?? 0;
    // The answer is sent immediately, but ends only when the client has sent its body: closing the connection earlier
    // would discard the answer.
    if (rest && (typeof body === "string" || Buffer.isBuffer(body)) && status !== 204) {
      this.#ctx.body = Readable.from(endingLater(body, rest));
      this.#ctx.length = this.bytes;
    }
  }

  refuse(error: ApiError): void {
    this.code = error.code;
    if (this.isPage) {
      const { status, body, headers } = refusalPage(error);
      this.reply(status, body, headers);
      return;
    }
    const headers = headersOf(error);
    // Browsers may cache answers outside of the API (files.md); they must not cache its errors.
    const isApi = this.#ctx.path.startsWith("/api/");
    const uncached = isApi ? headers : { ...headers, "Cache-Control": "no-store" };
    this.reply(statusOf(error), errorText(error), uncached);
  }

  /** Sets an answer whose memory lease is released once the client has read it. */
  send({ body, coding, bytes }: Outgoing, encoding: Encoding, lease: Lease | undefined): void {
    this.#lease = lease;
    const varies = coding || bytes >= encoding.from ? { Vary: "Accept-Encoding" } : undefined;
    this.reply(200, body, coding ? { ...varies, "Content-Encoding": coding } : varies);
  }

  /** Sets the lease on the memory for sending a file. It is released once the client has read the file. */
  holdFile(lease: Lease): void {
    lease.settle(Math.min(lease.bytes, this.bytes), true, false);
    this.#lease = lease;
    // More of the file is read only after the client has read what was sent.
    this.#ctx.res.on("drain", () => lease.progress());
  }

  /**
   * Watches an answer while it is sent: disconnects a client that reads nothing for `stalledMs`, and releases the
   * memory lease when the answer or its connection has ended.
   * @param stalledMs milliseconds
   */
  watch(stalledMs: number): void {
    const { res } = this.#ctx;
    const lease = this.#lease;
    if (this.inPieces || this.bytes > uncounted) res.setTimeout(stalledMs, () => res.destroy());
    if (!lease) return;
    if (lease.bytes === 0 || res.closed) {
      lease.release();
      return;
    }
    lease.cutOff = () => res.destroy();
    lease.progress();
    res.once("close", () => lease.release());
  }

  #asBody(body: string | Buffer | Readable | AsyncIterable<Buffer>): string | Buffer | Readable {
    if (typeof body === "string" || Buffer.isBuffer(body)) return body;
    if (body instanceof Readable && !(body instanceof Transform)) return body;
    this.inPieces = true;
    return Readable.from(this.#counted(body), { objectMode: false });
  }

  async *#counted(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      this.bytes += piece.length;
      this.#lease?.progress();
      yield piece;
    }
  }

  /** Returns the record for the log, once the answer is set. */
  record(): RequestRecord {
    return {
      requestId: this.requestId,
      method: this.#ctx.method,
      path: this.path,
      status: this.#ctx.status,
      ms: Math.round((performance.now() - this.startedAt) * 10) / 10,
      address: this.#ctx.ip,
      user: this.user,
      code: this.code,
      why: this.why,
      bytes: this.bytes,
    };
  }
}

async function* endingLater(text: string | Buffer, end: Promise<void>): AsyncGenerator<Buffer> {
  yield Buffer.from(text as string);
  await end;
}
