import type { PushRequest } from "./wire.ts";

/** The service that reaches the device. */
export type TokenKind = "fcm" | "apns";

/** A device that gets notifications: it has a key and an acknowledged token (push.md §1). */
export interface PushTarget {
  /** 8 bytes: id of the acknowledged token. */
  readonly tokenId: Uint8Array;
  readonly tokenKind: TokenKind;
  readonly pushKeyId: number;
  /** 33 bytes */
  readonly pushKey: Uint8Array;
}

/** Type of a notification: a message, the removal of messages, or a test. */
export type NotificationType = "message" | "remove" | "test";

/**
 * Builds the entry of `push_requests` for one device (push.md §4).
 * @param encryptedData result of `encryptPayload` for this device
 */
export function pushRequestFor(
  { tokenId, tokenKind, pushKeyId }: Omit<PushTarget, "pushKey">,
  type: NotificationType,
  encryptedData: string,
): PushRequest {
  const token_id = Buffer.from(tokenId).toString("base64");
  const encrypted = { push_key_id: pushKeyId, encrypted_data: encryptedData };
  const silent = type === "remove";
  if (tokenKind === "fcm")
    return { token_id, fcm_priority: silent ? "normal" : "high", payload: encrypted };
  return {
    token_id,
    http_headers: silent
      ? { apns_priority: 5, apns_push_type: "background" }
      : { apns_priority: 10, apns_push_type: "alert" },
    payload: {
      ...encrypted,
      aps: { "mutable-content": 1, alert: { title: "New notification" } },
    },
  };
}
