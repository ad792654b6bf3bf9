import { type ApiError, errorCodes, reasonStatuses } from "@carillon/contract";
import { limitHeaders } from "./limit.ts";

/** The header that names the scheme of credentials (http-contract.md §3). */
const challenge = 'Basic realm="zulip"';

/** Maps a refusal to its HTTP status. */
export function statusOf({ code, facts: { reason } }: ApiError): number {
  return reason === undefined ? errorCodes[code].status : reasonStatuses[reason];
}

/** Maps a refusal to its response headers, in addition to the usual ones. */
export function headersOf({ code, fields, facts }: ApiError): Record<string, string> {
  const { retryAfter, rateLimit } = facts;
  return {
    ...(code === "UNAUTHORIZED" ? { "WWW-Authenticate": challenge } : {}),
    ...(code === "METHOD_NOT_ALLOWED"
      ? { Allow: (fields["allowed_methods"] as readonly string[]).join(", ") }
      : {}),
    ...(rateLimit ? limitHeaders(rateLimit) : {}),
    ...(retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }),
  };
}

/** Writes a refusal as JSON. It holds nothing undocumented, since some clients match it exactly. */
export function errorText({ message, code, fields }: ApiError): string {
  return JSON.stringify({ result: "error", msg: message, code, ...fields });
}
