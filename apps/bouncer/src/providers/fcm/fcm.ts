import type { Clock } from "@carillon/kit";
import {
  handoverMs,
  keptSeconds,
  type Handover,
  type Outcome,
  type Provider,
} from "../provider.ts";
import { AccessTokens, NoAccessToken } from "./access-token.ts";
import { outcomeOf } from "./answer.ts";
import { httpAgent, post } from "./http.ts";
import type { ServiceAccount } from "./service-account.ts";

export interface FcmOptions {
  readonly account: ServiceAccount;
  /** FCM's URL; default `https://fcm.googleapis.com`. */
  readonly url?: string;
  readonly clock?: Clock;
  /** Time limit of an answer, in milliseconds; default {@link handoverMs}. */
  readonly timeoutMs?: number;
}

/** Creates the provider for Firebase Cloud Messaging, over its HTTP v1 API. */
export async function fcmProvider(options: FcmOptions): Promise<Provider> {
  const { account, url = "https://fcm.googleapis.com", clock } = options;
  const agent = await httpAgent(options.timeoutMs ?? handoverMs);
  const tokens = new AccessTokens(agent, account, clock);
  const address = `${url}/v1/projects/${account.projectId}/messages:send`;

  async function send(body: string): Promise<ReturnType<typeof outcomeOf> & { used: string }> {
    const used = await tokens.get();
    const headers = { authorization: `Bearer ${used}`, "content-type": "application/json" };
    const reply = await post(agent, address, headers, body);
    if ("failed" in reply)
      return { kind: reply.notSent ? "undelivered" : "unsure", why: reply.failed, used };
    return { ...outcomeOf(reply.status, reply.body), used };
  }

  return {
    name: "fcm",
    async handOver(handover): Promise<Outcome> {
      const body = JSON.stringify({ message: messageOf(handover) });
      try {
        for (let attempt = 1; ; attempt++) {
          const { used, ...outcome } = await send(body);
          if (outcome.kind !== "credentials") return outcome;
          tokens.forget(used);
          if (attempt === 2) return { kind: "undelivered", why: outcome.why };
        }
      } catch (error) {
        if (error instanceof NoAccessToken) return { kind: "undelivered", why: error.message };
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

/** Builds a data-only message, so that nothing is shown before the app has decrypted it. FCM's data values are strings. */
function messageOf({ token, urgent, payload }: Handover): object {
  const data = Object.entries(payload).map(([name, value]) => [name, String(value)] as const);
  return {
    token,
    data: Object.fromEntries(data),
    android: { priority: urgent ? "HIGH" : "NORMAL", ttl: `${keptSeconds}s` },
  };
}
