import type { Operation } from "../primitives/operation.ts";
import type { Caller } from "../primitives/example.ts";
import { exampleOf, type WholeExample } from "./example-of.ts";

/**
 * Writes the example of an operation for a shell, preceded by the requests that create what it needs. `$OWNER`,
 * `$MEMBER` … are an account's e-mail address and key with a colon between them.
 * @param operations the operations whose examples may create what it needs
 * @param serverUrl the address that clients use
 */
export function curlExample(
  operation: Operation,
  operations: readonly Operation[],
  serverUrl: string,
): string {
  const example = exampleOf(operation);
  const made = Object.entries(example.made).map(([name, [id, field, beginsWith = ""]]) => {
    const maker = operations.find((other) => other.id === id);
    if (!maker) throw new TypeError(`${operation.id}: there is no ${id}`);
    const lines = curlExample(maker, operations, serverUrl).split("\n");
    const before = lines.filter((line) => /^[A-Z_]+=/.test(line));
    const call = lines.slice(before.length).join("\n");
    const start = beginsWith.replaceAll("/", "\\/");
    const read = maker.example?.showsHeaders
      ? `sed -nE 's/^${field}: .*${start}([[:graph:]]*).*/\\1/p'`
      : `sed -E 's/.*"${field}":"?\\[?${start}([^],"}]*).*/\\1/'`;
    return [...before, `${name}=$(${call} | ${read})`].join("\n");
  });
  const [status, why] = operation.example?.refused ?? [];
  const comment = status === undefined ? [] : [`# The answer is ${status}, because ${why}.`];
  return [...comment, ...made, curl(operation, example, serverUrl)].join("\n");
}

function curl(operation: Operation, example: WholeExample, serverUrl: string): string {
  const { method } = operation;
  const inQuery = method === "GET" || method === "DELETE" || method === "HEAD";
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    inPath(example.path[name] ?? name),
  );
  const { file } = example;
  const query = operation.takesPayload ? queryOf(example.params) : "";
  const fields = Object.entries(operation.takesPayload ? {} : example.params).map(([name, value]) =>
    file ? `-F ${quoted(`${name}=${textOf(value)}`)}` : field(name, value),
  );
  if (file) {
    const content = "content" in file ? file.content : "@-";
    fields.push(`-F ${quoted(`file=${content};filename=${file.name}`)}`);
  }
  if (example.bytes !== undefined) fields.push(`--data-binary ${quoted(example.bytes)}`);
  const headers = Object.entries(example.headers).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  );
  // curl sends POST when there are fields, GET otherwise.
  const usual = fields.length > 0 && !inQuery ? "POST" : "GET";
  const bytes = file && "base64" in file ? `echo ${file.base64} | base64 -d | ` : "";
  return [
    `${bytes}curl -sS`,
    ...(example.as ? [`-u "${shellName(example.as)}"`] : []),
    ...(inQuery && fields.length > 0 ? ["-G"] : []),
    ...(example.showsHeaders ? ["-i"] : []),
    ...(method === "HEAD" ? ["-I"] : method === usual ? [] : [`-X ${method}`]),
    ...headers,
    quoted(serverUrl + path + query),
    ...fields,
  ].join(" ");
}

function queryOf(params: WholeExample["params"]): string {
  const pairs = Object.entries(params).map(
    ([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`,
  );
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

/** The variable with an account's credentials. */
function shellName(account: Caller): string {
  return `$${account.toUpperCase()}`;
}

function inPath(value: string | number): string {
  const text = String(value);
  return text.startsWith("$") ? text : encodeURIComponent(text);
}

function field(name: string, value: unknown): string {
  const text = textOf(value);
  // Text that form encoding leaves unchanged.
  const isPlain = /^[\w.-]*$/.test(text);
  return `${isPlain ? "-d" : "--data-urlencode"} ${quoted(`${name}=${text}`)}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

const variable = /\$[A-Z_]+/;

function quoted(text: string): string {
  if (variable.test(text)) return `"${text.replaceAll(/[\\"`]/g, String.raw`\$&`)}"`;
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
