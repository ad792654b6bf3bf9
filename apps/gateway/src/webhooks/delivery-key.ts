import type { IncomingHttpHeaders } from "node:http";

import { receiveWebhook } from "@carillon/contract";
import type { IdempotencyKey } from "@carillon/domain";

import { keyId, parseKey } from "../http/idempotency-header.ts";

/** Headers by which senders mark the repeats of a request, in their order. */
const headerNames = ["X-GitHub-Delivery", "X-Gitlab-Event-UUID", "webhook-id", "Idempotency-Key"];

/** Requests with the same key are repeats, whatever they contain: senders of webhooks could not react to a refusal. */
const noFingerprint = Buffer.alloc(32);

/** Milliseconds that a request waits for another one with its key. */
const waitMs = 5_000;

/**
 * Returns the key of a request that its sender may repeat (bot-platform.md §1.1). Its rows are those of `Idempotency-Key`
 * (once-and-again.md §1): each is written with the messages of its request, and counts for 24 hours.
 * @throws ApiError `BAD_REQUEST` for a malformed one
 */
export function deliveryKey(
  headers: IncomingHttpHeaders,
  botId: number,
): IdempotencyKey | undefined {
  for (const name of headerNames) {
    const text = headers[name.toLowerCase()];
    if (typeof text !== "string") continue;
    const id = keyId(botId, receiveWebhook, parseKey(name, text));
    return { id, accountId: botId, fingerprint: noFingerprint, waitMs, onWait: () => {} };
  }
  return undefined;
}
