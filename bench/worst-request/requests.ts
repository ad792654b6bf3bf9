import { credentials } from "../lib/requests.ts";
import type { Member } from "../lib/world.ts";
import type { RawRequest } from "./send.ts";

/** Requests that the bench sends concurrently, or one after another if `inTurn`. */
export interface Case {
  readonly name: string;
  readonly inTurn: boolean;
  /** Builds the requests of a round. They differ by round, because objects that they create must not exist yet. */
  readonly requests: (round: number) => readonly RawRequest[];
}

export const form = "application/x-www-form-urlencoded";
/** Encodes fields as a form: strings as they are, other values as JSON. */
function encoded(fields: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(texts).toString();
}

/** Builds a form request of a member, or one without credentials if `member` is undefined. */
export function post(
  member: Member | undefined,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  method = "POST",
): RawRequest {
  return raw(member, path, form, Buffer.from(encoded(fields)), method);
}

/** Builds a request with a body of any type. */
export function raw(
  member: Member | undefined,
  path: string,
  type: string,
  body: Buffer,
  method = "POST",
  more: Readonly<Record<string, string>> = {},
): RawRequest {
  const authorization = member ? { authorization: credentials(member) } : {};
  return {
    method,
    path: `/api/v1${path}`,
    body,
    headers: { ...authorization, "content-type": type, ...more },
  };
}

/** Builds a GET request of a member. */
export function get(
  member: Member,
  path: string,
  query: Readonly<Record<string, unknown>> = {},
): RawRequest {
  return {
    method: "GET",
    path: `/api/v1${path}?${encoded(query)}`,
    headers: { authorization: credentials(member) },
  };
}

/** Builds a request with one field as `multipart/form-data`. */
export function multipart(member: Member, path: string, name: string, value: string): RawRequest {
  const body = `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--x--\r\n`;
  return raw(member, path, "multipart/form-data; boundary=x", Buffer.from(body));
}
