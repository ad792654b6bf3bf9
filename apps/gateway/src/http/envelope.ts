import type { ApiError } from "@carillon/contract";

/** The JSON text of a success: `result` and `msg` first, the ignored parameters last. */
export function successText(fields: object | void, ignored: readonly string[]): string {
  let text = '{"result":"success","msg":""';
  const body = fields === undefined ? "{}" : JSON.stringify(fields);
  if (body !== "{}") text += `,${body.slice(1, -1)}`;
  if (ignored.length > 0) text += `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}`;
  return `${text}}`;
}

/** The JSON text of a refusal; nothing in it is undocumented, since some clients match it exactly. */
export function errorText(error: ApiError): string {
  return JSON.stringify({ result: "error", msg: error.message, code: error.code, ...error.fields });
}
