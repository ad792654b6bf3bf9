import type { PushConfig } from "./config.ts";

/** What came back: an answer, or why there is none. */
export type Reply =
  | {
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** As UTF-8, whatever it is. */
      readonly text: string;
    }
  /** It answered, with something that is no HTTP, too much of it, or what we did not ask for. */
  | { readonly broken: string }
  /** Nobody answered, not in time, or not to the end. */
  | { readonly lost: string };

export interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

export interface Transport {
  /** @throws the reason of the given signal; nothing else */
  post(post: Post): Promise<Reply>;
  close(): Promise<void>;
}

/** An answer may have so many bytes: of a thousand devices it has 30,000. */
const mostBytes = 1_000_000;

/** To the end of the TLS handshake, in milliseconds; less where a whole call has less. */
const connectMs = 5_000;

/** As many as one worker has calls at once, and a few for whom others wait. */
const connections = 24;

/** HTTP to the bouncer: bounded in time and in bytes. It follows no redirection and unpacks nothing. */
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
      maxResponseSize: mostBytes,
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
          return { broken: "the answer is compressed, which nobody asked for" };
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

/** Names the failure by its code alone: a message may have what was sent. */
function lostOrBroken(error: unknown): Reply {
  const { name, code } = error instanceof Error ? named(error) : { name: "unknown", code: "" };
  const broken = name === "HTTPParserError" || /^(HPE_|UND_ERR_(RES|HEADERS_OVERFLOW))/.test(code);
  const what = code || name;
  return broken ? { broken: `the answer is no HTTP, or too long (${what})` } : { lost: what };
}

function named(error: Error): { readonly name: string; readonly code: string } {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return { name: error.name, code };
}
