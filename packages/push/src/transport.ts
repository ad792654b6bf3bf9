import type { PushConfig } from "./config.ts";

/** The answer to a request, or why there is none. */
export type Reply =
  | {
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Decoded as UTF-8. */
      readonly text: string;
    }
  /** The answer is not HTTP, too long, or compressed. */
  | { readonly broken: string }
  /** No complete answer arrived in time. */
  | { readonly lost: string };

export interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

export interface Transport {
  /** Sends a request, and returns its answer. @throws the reason of the given signal; nothing else */
  post(post: Post): Promise<Reply>;
  close(): Promise<void>;
}

/** Limit of an answer, in bytes. An answer about a thousand devices has 30,000. */
const maxBytes = 1_000_000;

/** Time limit up to the end of the TLS handshake, in milliseconds; the call's limit if that is less. */
const connectMs = 5_000;

/** Maximum number of connections: one for each of the 20 concurrent push jobs of a worker, and a few more. */
const connections = 24;

/**
 * Starts the HTTP client of the bouncer, with limits of time and size. It follows no redirects and decompresses nothing.
 */
export function startTransport(config: PushConfig, version: string): Transport {
  const { url, serverId, serverKey, timeoutMs } = config;
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, "");
  const always = {
    authorization: `Basic ${Buffer.from(`${serverId}:${serverKey}`).toString("base64")}`,
    "user-agent": `ZulipServer/${version}`,
    accept: "application/json",
    "accept-encoding": "identity",
  };
  let loading: Promise<import("undici").Pool> | undefined;

  const open = async () => {
    const { Pool } = await import("./undici.ts");
    return new Pool(origin, {
      connections,
      connect: { timeout: Math.min(connectMs, timeoutMs) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxResponseSize: maxBytes,
    });
  };

  return {
    async post({ path, headers, body, signal }) {
      const pool = await (loading ??= open());
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await pool.request({
          method: "POST",
          path: prefix + path,
          headers: { ...always, ...headers },
          body,
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        });
        const packed = answer.headers["content-encoding"];
        const text = await answer.body.text();
        if (packed !== undefined && packed !== "identity")
          return { broken: "the answer is compressed" };
        const retryAfter = answer.headers["retry-after"];
        return {
          status: answer.statusCode,
          retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
          text,
        };
      } catch (error) {
        signal?.throwIfAborted();
        if (timeout.aborted) return { lost: `no answer within ${timeoutMs} ms` };
        return lostOrBroken(error);
      }
    },
    async close() {
      await (await loading)?.destroy();
    },
  };
}

/** Names the failure by its code only, because error messages may contain what was sent. */
function lostOrBroken(error: unknown): Reply {
  const { name, code } = error instanceof Error ? named(error) : { name: "unknown", code: "" };
  const broken = name === "HTTPParserError" || /^(HPE_|UND_ERR_(RES|HEADERS_OVERFLOW))/.test(code);
  const what = code || name;
  return broken ? { broken: `the answer is not HTTP, or too long (${what})` } : { lost: what };
}

function named(error: Error): { readonly name: string; readonly code: string } {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return { name: error.name, code };
}
