import { credentials } from "../lib/requests.ts";
import type { Member } from "../lib/world.ts";
import type { RawRequest } from "./send.ts";

/** Requests that go out at once, or one after the other; made anew for each round, since what they make must not be there yet. */
export interface Case {
  readonly name: string;
  readonly inTurn: boolean;
  readonly requests: (round: number) => readonly RawRequest[];
}

export const form = "application/x-www-form-urlencoded";
/** Texts as they are, everything else as JSON. */
function encoded(fields: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(texts).toString();
}

/** A form of a member; without one, without credentials. */
export function post(
  member: Member | undefined,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  method = "POST",
): RawRequest {
  return raw(member, path, form, Buffer.from(encoded(fields)), method);
}

/** Any body, of any type. */
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

/** What a member asks for. */
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

/** One field as `multipart/form-data`. */
export function multipart(member: Member, path: string, name: string, value: string): RawRequest {
  const body = `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--x--\r\n`;
  return raw(member, path, "multipart/form-data; boundary=x", Buffer.from(body));
}
