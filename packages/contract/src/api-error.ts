import type { ErrorCode } from "./error-codes.ts";

/** What an error answer carries besides `result`, `msg` and `code`: JSON values in wire spelling. */
export type ErrorFields = Readonly<Record<string, unknown>>;

/**
 * A refusal that the caller gets to read. Anybody may throw one, made by the functions of `errors`;
 * whatever else is thrown leaves the server as a generic `INTERNAL_ERROR`.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** HTTP status */
  readonly status: number;
  readonly fields: ErrorFields;
  /** Response headers besides the usual ones. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    status: number,
    message: string,
    fields: ErrorFields = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.fields = fields;
    this.headers = headers;
  }
}
