import type { PushRequest } from "@carillon/push";
import type { TokenKind } from "@carillon/push";
import { fromBase64 } from "../base64.ts";
import { refusals } from "../http/refusal.ts";
import type { Handover } from "../providers/provider.ts";
import type { KeptRegistration } from "../store/registrations.ts";

/** A device that a call is for. */
export interface Device {
  /** Of the token and of the key: one token may belong to several logins, each with a key of its own. */
  readonly name: string;
  /** Base64, as the server sent it. */
  readonly tokenId: string;
  readonly kind: TokenKind;
  readonly request: PushRequest;
}

/**
 * The devices of a call, each once.
 * @throws Refusal
 */
export function devicesOf(requests: readonly PushRequest[]): Device[] {
  const byName = new Map<string, Device>();
  for (const request of requests) {
    const { token_id: tokenId } = request;
    if (fromBase64(tokenId)?.length !== 8)
      throw refusals.badRequest("A token_id is not Base64 of 8 bytes");
    const name = `${tokenId}:${request.payload.push_key_id}`;
    const kind = "fcm_priority" in request ? "fcm" : "apns";
    if (!byName.has(name)) byName.set(name, { name, tokenId, kind, request });
  }
  return [...byName.values()];
}

/** What its provider gets. */
export function handoverOf({ request }: Device, registration: KeptRegistration): Handover {
  const { token, registeredAt, iosAppId } = registration;
  const said =
    "fcm_priority" in request
      ? { urgent: request.fcm_priority === "high", alert: false }
      : {
          urgent: request.http_headers.apns_priority === 10,
          alert: request.http_headers.apns_push_type === "alert",
        };
  return { token, registeredAt, iosAppId, ...said, payload: request.payload };
}
