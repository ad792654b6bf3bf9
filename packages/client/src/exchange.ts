import { ApiError } from "./api-error.ts";
import { timeLimit } from "./waiting.ts";

/** One attempt of a request. */
export interface Exchange {
  readonly operation: string;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestInit["body"];
  readonly signal: AbortSignal | undefined;
  /** 0 for no limit. */
  readonly timeoutMs: number;
  /** The caller reads the answer. */
  readonly raw: boolean;
  /** Maximum bytes of an answer that is not raw. */
  readonly maxBytes: number;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends a request and returns the fields of a success, or the response if it is raw.
 * @throws ApiError, or the reason of the caller's signal
 */
export async function exchange(fetch: Fetch, request: Exchange): Promise<unknown> {
  const { operation, url, method, headers, raw } = request;
  const limit = timeLimit(request.timeoutMs, request.signal);
  let keepsLimit = false;
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: request.body ?? null,
      signal: limit.signal,
      // The key is in a header. With cookies the server would have to name our origin, and a browser would ask the
      // person for a password after a 401.
      credentials: "omit",
      // A redirected POST would become a GET.
      redirect: raw ? "follow" : "manual",
    });
    // 304 answers a condition in the caller's headers.
    if (raw && (response.ok || response.status === 304)) {
      // The caller's signal also ends the body.
      keepsLimit = true;
      limit.lift();
      return response;
    }
    return answerOf(operation, response, await textOf(request, response));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (request.signal?.aborted) throw request.signal.reason;
    throw new ApiError({
      operation,
      code: "NO_ANSWER",
      status: 0,
      message: limit.isOver()
        ? `no whole answer within ${request.timeoutMs} ms`
        : "no whole answer; the cause says why",
      cause: error,
    });
  } finally {
    if (!keepsLimit) limit.release();
  }
}

/** Reads an answer as text, up to the limit of the request. @throws ApiError `ANSWER_TOO_LARGE` */
async function textOf({ operation, maxBytes }: Exchange, response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > maxBytes) {
      // Closes the connection; the rest is not read.
      await reader.cancel();
      const message = `the answer has more than ${maxBytes} bytes; maxAnswerBytes changes the limit`;
      const { status } = response;
      throw new ApiError({ operation, code: "ANSWER_TOO_LARGE", status, message });
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Reads an answer that should be an object of the protocol. */
function answerOf(operation: string, response: Response, text: string): Record<string, unknown> {
  const { status, headers } = response;
  const data = objectIn(text);
  if (response.ok && data?.["result"] === "success") return data;
  const { code, msg } = data ?? {};
  const isRefusal = data?.["result"] === "error" && typeof code === "string";
  throw new ApiError({
    operation,
    status,
    code: isRefusal ? code : "BAD_ANSWER",
    message: isRefusal && typeof msg === "string" ? msg : notOurs(response),
    retryAfter: seconds(headers.get("Retry-After")) ?? seconds(data?.["retry-after"]),
    data: isRefusal ? data : {},
  });
}

function notOurs({ status, type }: Response): string {
  return type === "opaqueredirect" || (status >= 300 && status < 400)
    ? "the request was redirected; `site` must be the address of the server itself"
    : "the answer is not one of the server";
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Reads `Retry-After`: seconds, or the date that proxies may send. Returns undefined for anything else. */
function seconds(given: unknown): number | undefined {
  if (given === null || given === undefined || given === "") return undefined;
  const number = Number(given);
  if (number >= 0) return number;
  const date = typeof given === "string" ? Date.parse(given) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1_000);
}
