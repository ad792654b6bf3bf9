import type { ApiError } from "@carillon/contract";
import { isLarge, jsonSlices, pagedSlices } from "./json-slices.ts";
import { isPaged } from "./pages.ts";

/**
 * The JSON text of a success: `result` and `msg` first, the ignored parameters last. A large one is written in slices
 * while it goes out (http-contract.md §8): it has no `Content-Length`, is made no faster than the client takes it, and
 * ends with the connection where either gives up.
 */
export function successBody(
  fields: object | void,
  ignored: readonly string[],
): string | AsyncIterable<string> {
  const answer = {
    result: "success",
    msg: "",
    ...fields,
    ...(ignored.length > 0 ? { ignored_parameters_unsupported: ignored } : {}),
  };
  if (isPaged(answer)) return pagedSlices(answer);
  if (!isLarge(answer)) return JSON.stringify(answer);
  return jsonSlices(answer);
}

/** The JSON text of a refusal; nothing in it is undocumented, since some clients match it exactly. */
export function errorText(error: ApiError): string {
  return JSON.stringify({ result: "error", msg: error.message, code: error.code, ...error.fields });
}
