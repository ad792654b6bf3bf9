import type { ApiError } from "./api-error.ts";
import type { CallOptions } from "./call-options.ts";
import { type EventOptions, EventStream, type EventType } from "./event-stream.ts";
import { exchange, type Fetch } from "./exchange.ts";
import type { Methods, Operations } from "./generated/api.ts";
import { routes } from "./generated/routes.ts";
import { encodeRequest, type Params, routeOf } from "./request.ts";
import { withRetries } from "./retries.ts";

/** Address of the server, credentials, and how requests are repeated. */
export interface ClientOptions {
  /** The server's address: `https://chat.example.org`. */
  readonly site: string;
  /** The account's address and API key. Without them only operations for everyone succeed. */
  readonly email?: string | undefined;
  readonly apiKey?: string | undefined;
  /** How often a request is repeated where that is safe; 5 unless given. */
  readonly retries?: number | undefined;
  /** Milliseconds for one attempt; 60,000 unless given, without limit for uploads. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of an answer that are read, except of files; 256 MiB unless given. */
  readonly maxAnswerBytes?: number | undefined;
  /** Name of the program, which people see with its messages. */
  readonly clientName?: string | undefined;
  /** Called before each wait for another attempt, also of polls. */
  readonly onRetry?: ((error: ApiError, waitMs: number) => void) | undefined;
  /** Replaces `fetch`. */
  readonly fetch?: Fetch | undefined;
}

/** The id of an operation, as in the API reference. */
export type OperationId = keyof Operations;

type Arguments<Id extends OperationId> =
  Record<never, never> extends Operations[Id]["params"]
    ? [params?: Operations[Id]["params"], options?: CallOptions]
    : [params: Operations[Id]["params"], options?: CallOptions];

class Requests {
  readonly #site: string;
  readonly #authorization: Readonly<Record<string, string>>;
  readonly #options: ClientOptions;
  readonly #fetch: Fetch;

  /** @throws TypeError if the options cannot be used */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#site = siteOf(options.site);
    this.#authorization = authorizationOf(options);
    // Browsers refuse to call `fetch` as a method of another object.
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
  }

  /**
   * Calls an operation by its id. Each operation is also a method: `send-message` is `sendMessage`.
   *
   * Operations that take an idempotency key get one for each call, so that they are repeated without harm if no answer
   * arrives.
   * @throws ApiError
   */
  async call<Id extends OperationId>(
    id: Id,
    ...[params = {}, options = {}]: Arguments<Id>
  ): Promise<Operations[Id]["result"]> {
    const route = routeOf(id);
    const { retries = 5, timeoutMs, maxAnswerBytes = 2 ** 28, clientName, onRetry } = this.#options;
    const { url, body } = encodeRequest(this.#site, route, params as Params, clientName);
    const headers: Record<string, string> = { ...this.#authorization, ...options.headers };
    if (route.keyed) headers["Idempotency-Key"] = usableKey(options.idempotencyKey ?? newKey());
    const isUpload = body instanceof FormData || options.body !== undefined;
    const attempt = () =>
      exchange(this.#fetch, {
        operation: id,
        url,
        method: route.method,
        headers,
        body: options.body ?? body ?? null,
        signal: options.signal,
        timeoutMs: options.timeoutMs ?? timeoutMs ?? (isUpload ? 0 : 60_000),
        raw: route.raw,
        maxBytes: maxAnswerBytes,
      });
    const answer = await withRetries(attempt, {
      retries: options.retries ?? retries,
      isSafe: route.keyed || route.method === "GET" || route.method === "HEAD",
      signal: options.signal,
      onRetry,
    });
    return answer as Operations[Id]["result"];
  }

  /**
   * Registers an event queue and returns its events, without end:
   *
   *     for await (const event of client.events({ event_types: ["message"] })) …
   */
  events<Type extends EventType = EventType>(options: EventOptions<Type> = {}): EventStream<Type> {
    return new EventStream(this, options, this.#options.onRetry);
  }
}

for (const id of Object.keys(routes) as OperationId[]) {
  const name = id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  Object.defineProperty(Requests.prototype, name, {
    value(this: Requests, params?: never, options?: CallOptions) {
      return this.call(id, params, options);
    },
  });
}

/** A client of one account: `call`, `events`, and a method for each operation. */
export type Client = Requests & Methods;
export const Client = Requests as new (options: ClientOptions) => Client;

/** Returns the address without a path of the API and without a slash at the end. */
function siteOf(site: string): string {
  if (!/^https?:\/\/[^\s?#]+$/i.test(site) || !URL.canParse(site))
    throw new TypeError("site must be an address such as https://chat.example.org");
  const { origin, pathname, username, password } = new URL(site);
  if (username || password)
    throw new TypeError("site must not contain credentials; use email and apiKey");
  return origin + pathname.replace(/\/+$/, "").replace(/\/api(\/v1)?$/, "");
}

function authorizationOf({ email, apiKey }: ClientOptions): Readonly<Record<string, string>> {
  if (email === undefined && apiKey === undefined) return {};
  if (!email || !apiKey) throw new TypeError("email and apiKey belong together");
  const bytes = new TextEncoder().encode(`${email}:${apiKey}`);
  return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

/** `fetch` would fail as if there were no network, and the request would be repeated in vain. */
function usableKey(key: string): string {
  if (/^[!#-+\--~]{1,255}$/.test(key)) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters without " and ,');
}

/** Makes an idempotency key. Not by `randomUUID`, which browsers have on https only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
