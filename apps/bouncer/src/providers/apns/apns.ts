import { systemClock, type Clock } from "@carillon/kit";
import {
  connectMs,
  handoverMs,
  keptSeconds,
  type Handover,
  type Outcome,
  type Provider,
} from "../provider.ts";
import { outcomeOf } from "./answer.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import type { ApnsKey } from "./key.ts";
import { ProviderTokens } from "./provider-token.ts";
import { send } from "./send.ts";

/** APNs' URLs, for store apps and for apps in development. */
export const apnsUrls = {
  production: "https://api.push.apple.com",
  sandbox: "https://api.sandbox.push.apple.com",
} as const;

export interface ApnsOptions extends Omit<ConnectionOptions, "timeoutMs"> {
  readonly key: ApnsKey;
  readonly clock?: Clock;
  /** Time limit of an answer, in milliseconds; caps the connection's limit too. */
  readonly timeoutMs?: number;
}

type Attempt = ReturnType<typeof outcomeOf> | { readonly kind: "again"; readonly why: string };

/** Makes the provider of the Apple Push Notification service, over HTTP/2 with signed tokens. */
export function apnsProvider({
  key,
  clock = systemClock,
  timeoutMs = handoverMs,
  ...where
}: ApnsOptions): Provider {
  const connection = new Connection({ ...where, timeoutMs: Math.min(timeoutMs, connectMs) });
  const tokens = new ProviderTokens(key, clock);

  async function attempt(handover: Handover, body: string, token: string): Promise<Attempt> {
    let session;
    try {
      session = await connection.session();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { kind: "undelivered", why: code ?? message };
    }
    const reply = await send(session, headersOf(handover, token, clock.now()), body, timeoutMs);
    if ("notProcessed" in reply) {
      connection.drop(session);
      return { kind: "again", why: reply.notProcessed };
    }
    if ("lost" in reply) {
      // The connection may be dead; a new one shows whether APNs answers.
      connection.drop(session);
      return { kind: "unsure", why: reply.lost };
    }
    connection.heard();
    return outcomeOf(reply.status, reply.body, handover.registeredAt);
  }

  return {
    name: "apns",
    async handOver(handover): Promise<Outcome> {
      const body = JSON.stringify(handover.payload);
      for (let tries = 1; ; tries++) {
        const token = await tokens.get();
        const outcome = await attempt(handover, body, token);
        if (outcome.kind === "credentials") await tokens.forget(token);
        else if (outcome.kind !== "again") return outcome;
        if (tries === 2) return { kind: "undelivered", why: outcome.why };
      }
    },
    close: () => connection.close(),
  };
}

/**
 * Makes the headers of a request to APNs.
 * @param now UNIX milliseconds
 */
function headersOf(
  { token, iosAppId, urgent, alert }: Handover,
  providerToken: string,
  now: number,
): Record<string, string> {
  return {
    ":method": "POST",
    ":path": `/3/device/${encodeURIComponent(token)}`,
    authorization: `bearer ${providerToken}`,
    "content-type": "application/json",
    "apns-topic": iosAppId ?? "",
    "apns-priority": urgent ? "10" : "5",
    "apns-push-type": alert ? "alert" : "background",
    "apns-expiration": String(Math.floor(now / 1_000) + keptSeconds),
  };
}
