import type { Operation, PathOf, ResultOf } from "@carillon/contract";
import { sendPlain } from "./plain-request.ts";
import { countingHeaders } from "./query-counter.ts";

/** Credentials of a request. */
export interface ApiCredentials {
  readonly email: string;
  readonly apiKey: string;
}

export interface CallOptions<Op extends Operation> {
  /** Anonymous if absent. */
  readonly auth?: ApiCredentials | undefined;
  /** Strings are sent as they are, other values as JSON; undefined is omitted. Unknown names are allowed. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly path?: { readonly [Name in keyof PathOf<Op>]: PathOf<Op>[Name] | string };
  /** Where the parameters go; default: the query for GET, the form for other methods. */
  readonly as?: "form" | "query" | "multipart";
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as file parts, in a multipart body. */
  readonly files?: Readonly<Record<string, Blob>>;
  readonly signal?: AbortSignal;
}

/** An answer's body, typed as a success; check `result`, `status` or `code` first. */
export type ApiBody<Op extends Operation> = (keyof Op["result"] extends never
  ? unknown
  : ResultOf<Op>) & {
  readonly result: "success" | "error";
  readonly msg: string;
  readonly code?: string;
  readonly ignored_parameters_unsupported?: readonly string[];
};

export interface ApiResponse<Op extends Operation> {
  readonly status: number;
  readonly body: ApiBody<Op>;
  readonly headers: Headers;
}

/**
 * Sends one request and returns any answer.
 * @param base the server's URL, without a path
 */
export async function call<Op extends Operation>(
  base: string,
  operation: Op,
  options: CallOptions<Op> = {},
): Promise<ApiResponse<Op>> {
  const as = options.as ?? (operation.method === "GET" ? "query" : "form");
  const fields = encode(options.params ?? {});
  const url = new URL(base + fill(operation.path, options.path ?? {}));
  if (as === "query") url.search = fields.toString();
  const { method } = operation;
  const headers = { ...authorization(options.auth), ...countingHeaders(), ...options.headers };
  const parts = options.files !== undefined || as === "multipart";
  // Headers of a test's own may ask for a compressed answer.
  if (!parts && !options.signal && !options.headers) {
    const form = as === "form" ? fields : undefined;
    const response = await sendPlain(url, { method, headers, form });
    const body = JSON.parse(response.text) as ApiBody<Op>;
    return {
      status: response.status,
      body,
      get headers() {
        return response.headers;
      },
    };
  }
  const response = await fetch(url, {
    method,
    headers,
    body: parts ? multipart(fields, options) : as === "form" ? fields : null,
    signal: options.signal ?? null,
  });
  const body = (await response.json()) as ApiBody<Op>;
  return { status: response.status, body, headers: response.headers };
}

/**
 * Sends one request that must succeed.
 * @throws Error with the whole answer when it does not
 */
export async function succeed<Op extends Operation>(
  base: string,
  operation: Op,
  options: CallOptions<Op> = {},
): Promise<ApiBody<Op>> {
  const { status, body } = await call(base, operation, options);
  if (status !== 200 || body.result !== "success") {
    throw new Error(`${operation.id} answered ${status}: ${JSON.stringify(body)}`);
  }
  return body;
}

/** Returns the Authorization header of an account. */
export function authorization(auth: ApiCredentials | undefined): Record<string, string> {
  if (!auth) return {};
  return {
    Authorization: `Basic ${Buffer.from(`${auth.email}:${auth.apiKey}`).toString("base64")}`,
  };
}

function fill(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name])),
  );
}

function encode(params: Readonly<Record<string, unknown>>): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined)
      fields.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return fields;
}

function multipart(
  fields: URLSearchParams,
  { files = {} }: { files?: Readonly<Record<string, Blob>> },
): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.set(name, value);
  for (const [name, file] of Object.entries(files)) form.set(name, file, name);
  return form;
}
