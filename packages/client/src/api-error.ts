import type { ErrorCode } from "./generated/api.ts";

/**
 * Codes of the client itself. `NO_ANSWER`: the request got no whole answer, because of the network or the time limit.
 * `BAD_ANSWER`: the answer is not one of the protocol, such as the error page of a proxy. `ANSWER_TOO_LARGE`: it has more
 * bytes than `maxAnswerBytes`.
 */
export type ClientErrorCode = "NO_ANSWER" | "BAD_ANSWER" | "ANSWER_TOO_LARGE";

interface Facts {
  readonly operation: string;
  readonly code: ApiError["code"];
  readonly status: number;
  readonly message: string;
  readonly retryAfter?: number | undefined;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A request that failed. It contains neither credentials nor parameters. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The operation's id, such as `send-message`. */
  readonly operation: string;
  /** The protocol's code, or one of the client's. Newer servers may have further ones. */
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** Seconds after which the server wants to be asked again. */
  readonly retryAfter: number | undefined;
  /** The fields of the answer, such as `var_name`. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor({ operation, code, status, message, retryAfter, data = {}, cause }: Facts) {
    super(`${operation}: ${status === 0 ? "" : `${status} `}${code}: ${message}`, { cause });
    this.operation = operation;
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.data = data;
  }
}

/** Returns whether it is an error of this class, with one of the codes if any are given. */
export function isApiError(error: unknown, ...codes: readonly string[]): error is ApiError {
  return error instanceof ApiError && (codes.length === 0 || codes.includes(error.code));
}
