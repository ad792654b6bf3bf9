import type { DeviceObject } from "@carillon/contract";
import type { PushDevice } from "@carillon/model";

/** A device, as its owner's clients get it (push.md §5). */
export function presentDevice(device: PushDevice): DeviceObject {
  const updated = device.pushTokenLastUpdated;
  return {
    push_key_id: device.pushKeyId,
    push_token_id: base64(device.pushTokenId),
    pending_push_token_id: base64(device.pendingPushTokenId),
    push_token_last_updated_timestamp: updated && unixSeconds(updated),
    push_registration_error_code: device.pushRegistrationErrorCode,
  };
}

/** A token's id, as clients send it and get it. */
export function base64(tokenId: Buffer): string;
export function base64(tokenId: Buffer | null): string | null;
export function base64(tokenId: Buffer | null): string | null {
  return tokenId && tokenId.toString("base64");
}

export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}
