import type { Operation } from "@carillon/contract";
import {
  authorization,
  call,
  succeed,
  type ApiBody,
  type ApiCredentials,
  type ApiResponse,
  type CallOptions,
} from "./api-client.ts";
import { sendPlain } from "./plain-request.ts";
import { countingHeaders } from "./query-counter.ts";

/** The response to a request without an operation. */
export interface Answer {
  readonly status: number;
  /** The parsed JSON body; empty if there is none. */
  readonly body: AnswerBody;
  /** The raw body. */
  readonly text: string;
  readonly headers: Headers;
}

export interface AnswerBody {
  readonly result?: "success" | "error";
  readonly msg?: string;
  readonly code?: string;
  readonly ignored_parameters_unsupported?: readonly string[];
  readonly [field: string]: unknown;
}

/** Strings are sent as they are, other values as JSON; undefined is omitted. */
export type Params = Readonly<Record<string, unknown>>;

/** Requests of one account, or anonymous ones. Parameters go into the query for GET, else into a form. */
export interface GatewayClient {
  get(path: string, params?: Params): Promise<Answer>;
  post(path: string, params?: Params): Promise<Answer>;
  patch(path: string, params?: Params): Promise<Answer>;
  put(path: string, params?: Params): Promise<Answer>;
  delete(path: string, params?: Params): Promise<Answer>;
  /** Sends a raw request, with the account's credentials by default. */
  send(method: string, path: string, init?: RequestInit): Promise<Answer>;
  call<Op extends Operation>(operation: Op, options?: Bound<Op>): Promise<ApiResponse<Op>>;
  /** @throws Error with the whole response unless it is a success */
  succeed<Op extends Operation>(operation: Op, options?: Bound<Op>): Promise<ApiBody<Op>>;
}

type Bound<Op extends Operation> = Omit<CallOptions<Op>, "auth">;

/** @param base the server's URL, without a path */
export function clientOf(base: string, auth: ApiCredentials | undefined): GatewayClient {
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries({ ...authorization(auth), ...countingHeaders() })) {
      if (!headers.has(name)) headers.set(name, value);
    }
    const response = await fetch(base + path, { ...init, method, headers });
    const text = await response.text();
    return { status: response.status, body: parse(text), text, headers: response.headers };
  };
  /** Sends the parameters of a form, or none. Redirects are followed by `send` alone. */
  const plain = async (method: string, path: string, form?: URLSearchParams): Promise<Answer> => {
    const headers = { ...authorization(auth), ...countingHeaders() };
    const response = await sendPlain(new URL(base + path), { method, headers, form });
    const { status, text } = response;
    return {
      status,
      body: parse(text),
      text,
      get headers() {
        return response.headers;
      },
    };
  };
  const form =
    (method: string) =>
    (path: string, params: Params = {}) =>
      plain(method, path, encode(params));
  return {
    send,
    get(path, params = {}) {
      const query = encode(params).toString();
      return plain("GET", query ? `${path}${path.includes("?") ? "&" : "?"}${query}` : path);
    },
    post: form("POST"),
    patch: form("PATCH"),
    put: form("PUT"),
    delete: form("DELETE"),
    call: (operation, options) => call(base, operation, { ...options, auth }),
    succeed: (operation, options) => succeed(base, operation, { ...options, auth }),
  };
}

function encode(params: Params): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    fields.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return fields;
}

function parse(text: string): AnswerBody {
  try {
    return JSON.parse(text) as AnswerBody;
  } catch {
    return {};
  }
}
