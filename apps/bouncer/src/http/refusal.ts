/** A refused request: status, code and message of the protocol's envelope (http-contract.md §2). */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    extra: { fields?: Record<string, unknown>; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = extra.fields ?? {};
    this.headers = extra.headers ?? {};
  }
}

function tooMany(message: string, waitMs: number): Refusal {
  return new Refusal(429, "RATE_LIMIT_HIT", message, {
    fields: { "retry-after": waitMs / 1_000 },
    headers: { "Retry-After": String(Math.ceil(waitMs / 1_000)) },
  });
}

/** Error answers of the bouncer, in the envelope of Carillon's API (push.md §3, §4). */
export const refusals = {
  badRequest: (message: string) => new Refusal(400, "BAD_REQUEST", message),
  missing: (name: string) =>
    new Refusal(400, "REQUEST_VARIABLE_MISSING", `Missing '${name}' argument`, {
      fields: { var_name: name },
    }),
  noCredentials: () =>
    new Refusal(401, "UNAUTHORIZED", "Basic credentials are needed: the server's id and key", {
      headers: { "WWW-Authenticate": 'Basic realm="zulip"' },
    }),
  unknownServer: () =>
    new Refusal(
      403,
      "INVALID_ZULIP_SERVER",
      "No server with this id and key is registered with this bouncer",
    ),
  unknownRealm: () =>
    new Refusal(403, "MISSING_REMOTE_REALM", "The server is not registered for this organization"),
  unknownKey: () =>
    new Refusal(
      400,
      "INVALID_BOUNCER_PUBLIC_KEY",
      "bouncer_public_key is not a key of this bouncer: request the current one",
    ),
  expired: () =>
    new Refusal(
      400,
      "REQUEST_EXPIRED",
      "The registration is too old, or its time is in the future: create a new one, and check the clock",
    ),
  notFound: () => new Refusal(404, "NOT_FOUND", "There is no such path"),
  methodNotAllowed: (allowed: string) =>
    new Refusal(405, "METHOD_NOT_ALLOWED", `Only ${allowed} is allowed here`, {
      fields: { allowed_methods: [allowed] },
      headers: { Allow: allowed },
    }),
  tooLarge: (bytes: number) =>
    new Refusal(413, "REQUEST_TOO_LARGE", `A request must not have more than ${bytes} bytes`),
  tooMany: (waitMs: number) => tooMany("The server sends too many requests", waitMs),
  tooManyUnproven: (waitMs: number) =>
    tooMany(
      "Too many calls from this address had wrong credentials: check the server's id and key",
      waitMs,
    ),
  internal: () => new Refusal(500, "INTERNAL_ERROR", "Internal error; see the bouncer's log"),
  providerAway: () =>
    new Refusal(
      502,
      "PUSH_PROVIDER_UNAVAILABLE",
      "A provider has not accepted all notifications: repeat the call with the same Idempotency-Key",
    ),
  /** Without `Retry-After`, because a server would then delay all its other calls too. */
  underWay: () =>
    new Refusal(
      503,
      "NOTIFY_UNDER_WAY",
      "The call with this Idempotency-Key is still in progress: repeat it later",
    ),
};
