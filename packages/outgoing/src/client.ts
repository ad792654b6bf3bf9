import { systemClock } from "@carillon/kit";
import type { Agent, Dispatcher } from "undici";

import type { OutgoingConfig } from "./config.ts";
import { judgingConnector, type Resolve } from "./connector.ts";
import { RefusedAddress } from "./refused-address.ts";

/** A request to a URL that a member of an organization has set. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborting it makes the call throw the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum bytes of the answer that are read. */
  readonly maxBytes: number;
}

/** Outcome of a call. The reasons quote neither what was sent nor what was answered, so they may be logged. */
export type OutgoingOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** Milliseconds for which the server asks to wait; undefined if it does not. */
      readonly retryAfterMs?: number;
      /** The answer; of one with more than `maxBytes`, only its beginning. */
      readonly body: Buffer;
      /** Whether the answer has more than `maxBytes`; the rest is not read. */
      readonly isCut: boolean;
    }
  /** An address is not allowed; another attempt cannot help until the name resolves differently. */
  | { readonly kind: "refused"; readonly reason: string }
  /** No complete answer arrived in time. */
  | { readonly kind: "lost"; readonly reason: string }
  /** The answer is not HTTP, breaks off, or is compressed. `status` if its head was read. */
  | { readonly kind: "broken"; readonly reason: string; readonly status?: number };

/**
 * Client of URLs that members of organizations have set (bot-platform.md §4). It connects to allowed addresses only, ends
 * each call within the configured time however slowly bytes arrive, follows no redirects, keeps no cookies and
 * decompresses nothing. Call it outside of transactions.
 */
export interface OutgoingClient {
  /** Sends a POST request. @throws the reason of the request's signal; nothing else */
  post(request: OutgoingRequest): Promise<OutgoingOutcome>;
  /** Closes the connections; calls in progress are lost. */
  close(): Promise<void>;
}

/** Maximum size of the head of an answer, in bytes. */
const maxHeadBytes = 16_384;

/** Maximum bytes to return of an answer that is too long. */
const beginningBytes = 4_096;

/** Milliseconds for which an unused connection is kept. */
const keepAliveMs = 4_000;

/**
 * Creates the client; it loads undici at its first call.
 * @param resolve resolves names; the system unless given
 */
export function outgoingClient(
  { rules, timeoutMs }: OutgoingConfig,
  { resolve }: { readonly resolve?: Resolve } = {},
): OutgoingClient {
  let loading: Promise<Agent> | undefined;
  const open = async () => {
    const { Agent, buildConnector } = await import("./undici.ts");
    return new Agent({
      connect: judgingConnector(buildConnector, rules, { timeoutMs, resolve }),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      maxHeaderSize: maxHeadBytes,
      pipelining: 1,
    });
  };
  return {
    async post({ url, headers, body, signal, maxBytes }) {
      const agent = await (loading ??= open());
      const { origin, pathname, search } = new URL(url);
      const timeout = AbortSignal.timeout(timeoutMs);
      let status: number | undefined;
      try {
        const answer = await agent.request({
          origin,
          method: "POST",
          path: pathname + search,
          headers: { accept: "application/json", "accept-encoding": "identity", ...headers },
          body,
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
        status = answer.statusCode;
        const length = Number(answer.headers["content-length"] ?? 0);
        const read = await readBody(answer.body, maxBytes, length);
        const packed = answer.headers["content-encoding"];
        if (packed !== undefined && packed !== "identity")
          return { kind: "broken", reason: "the answer is compressed", status };
        const retryAfterMs = waitMs(answer.headers["retry-after"]);
        return {
          kind: "answered",
          status,
          ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
          ...read,
        };
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof RefusedAddress) return { kind: "refused", reason: error.message };
        if (timeout.aborted)
          return { kind: "lost", reason: `no complete answer within ${timeoutMs / 1_000} s` };
        return lostOrBroken(error, status);
      }
    },
    async close() {
      await (await loading)?.destroy();
    },
  };
}

/**
 * Reads an answer up to the limit, and closes the connection of a longer one.
 * @param length its `Content-Length`; 0 without one
 */
async function readBody(
  stream: Dispatcher.ResponseData["body"],
  maxBytes: number,
  length: number,
): Promise<{ readonly body: Buffer; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // A stream that is left before its end fails, and an error without a listener ends the process.
  stream.on("error", () => {});
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the stream and its connection. The rest is not copied, and not read if `Content-Length`
    // announces a longer answer, because V8 is slow to free memory outside of its heap.
    if (size > maxBytes || (length > maxBytes && size >= beginningBytes)) {
      const body = Buffer.concat(chunks, Math.min(size, maxBytes, beginningBytes));
      return { body, isCut: true };
    }
  }
  return { body: Buffer.concat(chunks), isCut: false };
}

/** Names the failure by its code only, because error messages may contain what was sent. */
function lostOrBroken(error: unknown, status: number | undefined): OutgoingOutcome {
  const name = error instanceof Error ? error.name : "unknown";
  const code =
    error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const what = code || name;
  const isBroken =
    status !== undefined ||
    name === "HTTPParserError" ||
    // undici takes it for impossible that a status is below 100.
    /^(HPE_|UND_ERR_(RES|HEADERS_OVERFLOW)|ERR_ASSERTION)/.test(code);
  if (!isBroken) return { kind: "lost", reason: `no connection or no answer (${what})` };
  const reason = `the answer is not HTTP, or breaks off (${what})`;
  return { kind: "broken", reason, ...(status === undefined ? {} : { status }) };
}

/** Parses `Retry-After`, seconds or a date (RFC 9110, §10.2.3), into milliseconds; undefined if absent or malformed. */
function waitMs(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(header)
    ? Number(header) * 1_000
    : header.endsWith("GMT")
      ? Date.parse(header) - systemClock.now()
      : Number.NaN;
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : undefined;
}
