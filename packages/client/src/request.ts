import { routes } from "./generated/routes.ts";

/** The parameters of a call, those of the path included. */
export type Params = Readonly<Record<string, unknown>>;

/** The facts about an operation that the client needs. */
export interface Route {
  readonly method: string;
  readonly path: string;
  /** Takes an idempotency key. */
  readonly keyed: boolean;
  /** The answer is not an object of the protocol: the caller gets the response. */
  readonly raw: boolean;
  /** Parameters whose strings are sent as JSON. */
  readonly jsonStrings: readonly string[];
}

/** Looks up an operation. @throws TypeError */
export function routeOf(id: string): Route {
  if (!Object.hasOwn(routes, id)) throw new TypeError(`There is no operation ${id}`);
  const [kind = "", path = "", ...jsonStrings] = routes[id as keyof typeof routes].split(" ");
  return {
    method: kind.replace(/\W+$/, ""),
    path,
    keyed: kind.includes("!"),
    raw: kind.includes("*"),
    jsonStrings,
  };
}

/** An address and a body. */
export interface EncodedRequest {
  readonly url: string;
  readonly body: URLSearchParams | FormData | undefined;
}

/**
 * Writes the parameters into the path, and the others into the query or the form. Strings are sent as they are, other
 * values as JSON, files as parts of a multipart form; undefined is left out.
 * @param clientName the name of the program, if the server should know it
 * @throws TypeError that names the parameter which cannot be sent
 */
export function encodeRequest(
  site: string,
  { method, path, jsonStrings }: Route,
  params: Params,
  clientName: string | undefined,
): EncodedRequest {
  const used = new Set<string>();
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    used.add(name);
    return segment(name, params[name]);
  });
  const fields = new URLSearchParams();
  const files: [string, Blob][] = [];
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || used.has(name)) continue;
    if (value instanceof Blob) files.push([name, value]);
    else fields.set(name, textOf(name, value, jsonStrings.includes(name)));
  }
  if (clientName !== undefined) fields.set("client", clientName);
  const url = site + filled;
  // HTTP gives the body of DELETE no meaning, and proxies may drop it.
  if (["GET", "HEAD", "DELETE"].includes(method)) {
    const query = fields.toString();
    return { url: query ? `${url}?${query}` : url, body: undefined };
  }
  return { url, body: files.length > 0 ? multipart(fields, files) : fields };
}

function textOf(name: string, value: unknown, asJson: boolean): string {
  if (typeof value === "string" && !asJson) return value;
  // JSON would make null of them, which has a meaning.
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError(`${name} must be a finite number`);
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError(`${name} cannot be sent as JSON`);
  return text;
}

/** Writes a part of the path. `.` and `..` would be taken as steps of the path, even if they are escaped. */
function segment(name: string, value: unknown): string {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  if (text === "" || text === "." || text === "..")
    throw new TypeError(`${name} is missing, or cannot be a part of a path`);
  return encodeURIComponent(text);
}

function multipart(fields: URLSearchParams, files: readonly [string, Blob][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.set(name, value);
  for (const [name, file] of files) form.set(name, file);
  return form;
}
