import type { Answer, GatewayClient, Params } from "../gateway-client.ts";

/** Parts of a request with an `Idempotency-Key`. */
export interface KeyedAsk {
  readonly method?: "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly params?: Params;
  /** Sent as it is. */
  readonly key: string;
}

/** Sends a request with an `Idempotency-Key`, its parameters in a form. */
export function askWithKey(
  client: GatewayClient,
  { method = "POST", path, params = {}, key }: KeyedAsk,
): Promise<Answer> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined)
      body.set(name, typeof value === "string" ? value : JSON.stringify(value));
  return client.send(method, path, { body, headers: { "Idempotency-Key": key } });
}

/** Returns the header that tells whether the answer is a stored one; null for a request whose key was ignored. */
export function replayed({ headers }: Pick<Answer, "headers">): string | null {
  return headers.get("Idempotent-Replayed");
}
