import type { PushRequest, TokenKind } from "@carillon/push";
import { fromBase64 } from "../base64.ts";
import { refusals } from "../http/refusal.ts";
import type { Handover } from "../providers/provider.ts";
import type { KeptRegistration } from "../store/registrations.ts";

/** One notification of a call, with its device. */
export interface Entry {
  /** Token id and key id: one token may belong to several logins, each with its own key. */
  readonly device: string;
  /** The device and the notification's index among those for that device: a call may concern several messages. */
  readonly name: string;
  /** Base64, as the server sent it. */
  readonly tokenId: string;
  readonly kind: TokenKind;
  readonly request: PushRequest;
}

/**
 * Names the notifications of a call.
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

/** Returns the name of a device's notification. @param place its index, from 0 */
export function nameOf(device: string, place: number): string {
  return place === 0 ? device : `${device}#${place}`;
}

/** Returns the device of a notification's name. */
export function deviceOf(name: string): string {
  return name.split("#", 1)[0] ?? name;
}

/** Converts an entry to what its provider receives. */
export function handoverOf({ request }: Entry, registration: KeptRegistration): Handover {
  const { token, registeredAt, iosAppId } = registration;
  const urgency =
    "fcm_priority" in request
      ? { urgent: request.fcm_priority === "high", alert: false }
      : {
          urgent: request.http_headers.apns_priority === 10,
          alert: request.http_headers.apns_push_type === "alert",
        };
  return { token, registeredAt, iosAppId, ...urgency, payload: request.payload };
}
