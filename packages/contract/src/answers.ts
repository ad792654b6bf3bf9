import type { ErrorCode } from "./error-codes.ts";
import type { Operation } from "./operation.ts";

/** The codes that a caller of the operation has to expect, the common ones first. */
export function codesOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(["BAD_REQUEST"]);
  const parameters = Object.values(operation.params);
  if (parameters.some(({ presence }) => presence.required)) codes.add("REQUEST_VARIABLE_MISSING");
  if (parameters.some(({ presence }) => presence.aliases.length > 0))
    codes.add("REQUEST_CONFUSING_VAR");
  if (operation.access !== "anyone") codes.add("UNAUTHORIZED");
  const gate = gateCode(operation);
  if (gate) codes.add(gate);
  for (const code of operation.errors) codes.add(code);
  return [...codes, "RATE_LIMIT_HIT", "INTERNAL_ERROR"];
}

/** The code for those whom `access` keeps out, beyond the credentials. */
function gateCode({ access, accessError }: Operation): ErrorCode | undefined {
  if (accessError) return accessError;
  return access === "administrator" || access === "owner" ? "UNAUTHORIZED_PRINCIPAL" : undefined;
}
