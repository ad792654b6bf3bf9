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

/** The refusals of the bouncer (push.md §3, §4). */
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
    new Refusal(403, "INVALID_ZULIP_SERVER", "The bouncer knows no server of this id and key"),
  unknownRealm: () =>
    new Refusal(403, "MISSING_REMOTE_REALM", "The server may not speak for this organization"),
  unknownKey: () =>
    new Refusal(
      400,
      "INVALID_BOUNCER_PUBLIC_KEY",
      "bouncer_public_key is none of this bouncer's: ask it for the current one",
    ),
  expired: () =>
    new Refusal(
      400,
      "REQUEST_EXPIRED",
      "The registration is too old, or from the future: make a new one, and look at the clock",
    ),
  notFound: () => new Refusal(404, "NOT_FOUND", "There is no such path"),
  methodNotAllowed: (allowed: string) =>
    new Refusal(405, "METHOD_NOT_ALLOWED", `Only ${allowed} is allowed here`, {
      fields: { allowed_methods: [allowed] },
      headers: { Allow: allowed },
    }),
  tooLarge: (bytes: number) =>
    new Refusal(413, "REQUEST_TOO_LARGE", `A request has ${bytes} bytes at most`),
  tooMany: (waitMs: number) => tooMany("The server asks too often", waitMs),
  tooManyUnproven: (waitMs: number) =>
    tooMany(
      "Too many calls from this address had credentials that were not right; check the server's id and key",
      waitMs,
    ),
  internal: () => new Refusal(500, "INTERNAL_ERROR", "Something went wrong; the log says more"),
  providerAway: () =>
    new Refusal(
      502,
      "PUSH_PROVIDER_UNAVAILABLE",
      "A provider has not taken everything: ask again with the same Idempotency-Key",
    ),
  /** Without `Retry-After`, because a server would then delay all its other calls too. */
  underWay: () =>
    new Refusal(
      503,
      "NOTIFY_UNDER_WAY",
      "The call with this Idempotency-Key is still being answered: ask again later",
    ),
};
