import { realmUrl, type Site } from "@carillon/model";
import { signatureHeaders } from "@carillon/outgoing";
import type { EventBatch } from "@carillon/events";

import { liveSecrets } from "../bots/bot-service.ts";
import type { EndpointRequest } from "../bot-webhooks/prepare-call.ts";
import { serverVersion } from "../server.ts";
import type { SubscriptionDestination } from "./claim-batch.ts";

/** The subscription whose events are sent. */
interface Subscriber {
  readonly subscriptionId: number;
  readonly botId: number;
}

/** Makes a signed request with a batch of events, or a ping without a batch (bot-platform.md §3). */
export function eventRequest(
  site: Site,
  { subscriptionId, botId }: Subscriber,
  to: SubscriptionDestination,
  { webhookId, batch }: { readonly webhookId: string; readonly batch?: EventBatch | undefined },
): Omit<EndpointRequest, "format"> {
  const head = {
    type: batch ? "events" : "ping",
    timestamp: new Date(to.now * 1_000).toISOString(),
    data: {
      subscription_id: subscriptionId,
      bot_id: botId,
      realm_url: realmUrl(site, to),
      ...(batch ? { gap: to.gap } : {}),
    },
  };
  const text = JSON.stringify(head);
  // The events are JSON already.
  const body = Buffer.from(
    batch ? `${text.slice(0, -2)},"events":[${batch.events.join(",")}]}}` : text,
    "utf8",
  );
  return {
    url: to.url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": `Carillon/${serverVersion.zulip_version}`,
      ...signatureHeaders(liveSecrets(site, to), { id: webhookId, timestamp: to.now, body }),
    },
  };
}
