import { errorCodes, reasonStatuses, type ErrorCode } from "./error-codes.ts";
import type { Operation } from "./operation.ts";

/** The codes that a caller of the operation has to expect, the common ones first. */
export function codesOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(["BAD_REQUEST"]);
  const parameters = Object.values(operation.params);
  if (parameters.some(({ presence }) => presence.required)) codes.add("REQUEST_VARIABLE_MISSING");
  if (parameters.some(({ presence }) => presence.aliases.length > 0))
    codes.add("REQUEST_CONFUSING_VAR");
  if (operation.access !== "anyone") codes.add("UNAUTHORIZED");
  for (const code of [...gateCodes(operation), ...operation.errors]) codes.add(code);
  return [...codes, "RATE_LIMIT_HIT", "INTERNAL_ERROR"];
}

/** Codes that any operation may answer with, whatever is in its declaration: the request as such is at fault. */
function codesOfRequests({ method, pathDecoders }: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [];
  // What is put into a path may make it one that is not there, or another one.
  if (pathDecoders.length > 0) codes.push("NOT_FOUND", "METHOD_NOT_ALLOWED");
  if (method !== "GET") codes.push("REQUEST_TOO_LARGE");
  return codes;
}

/** All refusals that a caller can meet, by status: codes of `codesOf`, and those that any request may get. */
export function refusalsOf(operation: Operation): ReadonlyMap<number, ReadonlySet<ErrorCode>> {
  const byStatus = new Map<number, Set<ErrorCode>>();
  const add = (status: number, code: ErrorCode) =>
    byStatus.set(status, (byStatus.get(status) ?? new Set<ErrorCode>()).add(code));
  for (const code of [...codesOf(operation), ...codesOfRequests(operation)])
    add(errorCodes[code].status, code);
  if (operation.missingIs404) add(reasonStatuses.missingTarget, "BAD_REQUEST");
  add(reasonStatuses.unavailable, "INTERNAL_ERROR");
  return byStatus;
}

/** The codes for those whom `access` keeps out, beyond the credentials. */
function gateCodes({ access, accessError }: Operation): readonly ErrorCode[] {
  const own = accessError === undefined ? [] : [accessError];
  // Also of who was let in, and is no administrator any more when the locks are had.
  return access === "administrator" || access === "owner"
    ? [...own, "UNAUTHORIZED_PRINCIPAL"]
    : own;
}
