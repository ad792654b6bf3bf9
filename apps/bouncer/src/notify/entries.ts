import type { PushRequest, TokenKind } from "@carillon/push";
import { fromBase64 } from "../base64.ts";
import { refusals } from "../http/refusal.ts";
import type { Handover } from "../providers/provider.ts";
import type { KeptRegistration } from "../store/registrations.ts";

/** A notification of a call, and the device that it is for. */
export interface Entry {
  /** Of the token and of the key: one token may belong to several logins, each with a key of its own. */
  readonly device: string;
  /** The device's, and which one it is of those for the same device: one call may be about several messages. */
  readonly name: string;
  /** Base64, as the server sent it. */
  readonly tokenId: string;
  readonly kind: TokenKind;
  readonly request: PushRequest;
}

/**
 * The notifications of a call, named.
 * @throws Refusal
 */
export function entriesOf(requests: readonly PushRequest[]): Entry[] {
  const counts = new Map<string, number>();
  return requests.map((request) => {
    const { token_id: tokenId } = request;
    if (fromBase64(tokenId)?.length !== 8)
      throw refusals.badRequest("A token_id is not Base64 of 8 bytes");
    const device = `${tokenId}:${request.payload.push_key_id}`;
    const before = counts.get(device) ?? 0;
    counts.set(device, before + 1);
    const kind = "fcm_priority" in request ? "fcm" : "apns";
    return { device, name: nameOf(device, before), tokenId, kind, request };
  });
}

/** The name of a device's notification. @param place from 0 */
export function nameOf(device: string, place: number): string {
  return place === 0 ? device : `${device}#${place}`;
}

/** The device of a notification's name. */
export function deviceOf(name: string): string {
  return name.split("#", 1)[0] ?? name;
}

/** What its provider gets. */
export function handoverOf({ request }: Entry, registration: KeptRegistration): Handover {
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
