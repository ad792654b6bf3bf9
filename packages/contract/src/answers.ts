import { errorCodes, reasonStatuses, type ErrorCode } from "./primitives/error-codes.ts";
import type { Operation } from "./primitives/operation.ts";

/** Returns the codes that callers of the operation must expect, the common ones first. */
export function codesOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(["BAD_REQUEST"]);
  const parameters = Object.values(operation.params);
  if (parameters.some(({ presence }) => presence.required)) codes.add("REQUEST_VARIABLE_MISSING");
  if (parameters.some(({ presence }) => presence.aliases.length > 0))
    codes.add("REQUEST_CONFUSING_VAR");
  if (operation.access !== "anyone") codes.add("UNAUTHORIZED");
  if (operation.takesPayload) codes.add("REQUEST_VARIABLE_MISSING").add("INVALID_API_KEY");
  if (operation.idempotencyKey) codes.add("IDEMPOTENCY_KEY_REUSED").add("IDEMPOTENCY_KEY_IN_USE");
  for (const code of [...gateCodes(operation), ...operation.errors]) codes.add(code);
  return [...codes, "RATE_LIMIT_HIT", "INTERNAL_ERROR"];
}

/** Returns the codes of faults of the request itself, which do not depend on the operation's errors. */
function codesOfRequests({ method, pathDecoders }: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [];
  // A path parameter may turn the path into an unknown one, or into that of another operation.
  if (pathDecoders.length > 0) codes.push("NOT_FOUND", "METHOD_NOT_ALLOWED");
  if (method !== "GET") codes.push("REQUEST_TOO_LARGE");
  return codes;
}

/** Returns all refusals that callers can meet, by status: those of `codesOf`, and those that any request may get. */
export function refusalsOf(operation: Operation): ReadonlyMap<number, ReadonlySet<ErrorCode>> {
  const byStatus = new Map<number, Set<ErrorCode>>();
  const add = (status: number, code: ErrorCode) =>
    byStatus.set(status, (byStatus.get(status) ?? new Set<ErrorCode>()).add(code));
  for (const code of [...codesOf(operation), ...codesOfRequests(operation)])
    add(errorCodes[code].status, code);
  if (operation.page && operation.method === "POST") add(reasonStatuses.forbidden, "BAD_REQUEST");
  if (operation.missingIs404) add(reasonStatuses.missingTarget, "BAD_REQUEST");
  add(reasonStatuses.unavailable, "INTERNAL_ERROR");
  return byStatus;
}

/** Returns the codes for callers that `access` refuses, apart from `UNAUTHORIZED`. */
function gateCodes({ access, accessError }: Operation): readonly ErrorCode[] {
  const own = accessError === undefined ? [] : [accessError];
  // An administrator may lose the role between the access check and the locks.
  return access === "administrator" || access === "owner"
    ? [...own, "UNAUTHORIZED_PRINCIPAL"]
    : own;
}
