import { statement, typed, type RowOf, type Tx } from "@carillon/db";

export const deviceOverrides = {
  /** Kind of the acknowledged token. */
  pushTokenKind: typed<PushTokenKind>(),
  pendingPushTokenKind: typed<PushTokenKind>(),
};

/** The push service of a device: Google's or Apple's. */
export type PushTokenKind = "fcm" | "apns";

/**
 * A device of an account (push.md §1).
 * - `pushKey`: 33 bytes: the last 32 are the key for encrypting notifications.
 * - `pushKeyId`: 0 to 2^32 - 1
 * - `pushTokenId`: 8 bytes: the acknowledged token, also while another is pending.
 * - `pendingPushTokenId`: 8 bytes: the token being registered; with an error code, the token whose registration failed.
 */
export type PushDevice = RowOf<typeof forChange>;

/** SQL: columns of the table `client_devices`, called `d`. */
export const deviceColumns = `d.id, d.user_id AS "userId", d.push_key AS "pushKey", d.push_key_id AS "pushKeyId",
  d.push_token_id AS "pushTokenId", d.push_token_kind AS "pushTokenKind",
  d.pending_push_token_id AS "pendingPushTokenId", d.pending_push_token_kind AS "pendingPushTokenKind",
  d.push_token_last_updated AS "pushTokenLastUpdated",
  d.push_registration_error_code AS "pushRegistrationErrorCode"`;

/**
 * State of a device's registration (push.md §1). In `pending` and `failed`, an earlier token may still be active
 * (`pushTokenId`). In `lapsed`, the push bouncer has reported the token as dead.
 */
export type DeviceState = "never registered" | "pending" | "active" | "failed" | "lapsed";

/** Returns the state of a device, from the columns of its row (push.md §5). */
export function deviceState(
  device: Pick<
    PushDevice,
    "pushKeyId" | "pushTokenId" | "pendingPushTokenId" | "pushRegistrationErrorCode"
  >,
): DeviceState {
  if (device.pushRegistrationErrorCode !== null) return "failed";
  if (device.pendingPushTokenId !== null) return "pending";
  if (device.pushTokenId !== null) return "active";
  return device.pushKeyId === null ? "never registered" : "lapsed";
}

const forChange = statement({
  name: "device-for-change",
  text: `SELECT ${deviceColumns} FROM client_devices d WHERE d.user_id = $1 AND d.id = $2 FOR NO KEY UPDATE`,
  overrides: deviceOverrides,
});

/**
 * Locks and returns the account's device with this id until the transaction ends.
 * @returns undefined if there is none, or it belongs to another account
 */
export async function lockDevice(
  tx: Tx,
  userId: number,
  deviceId: number,
): Promise<PushDevice | undefined> {
  return (await tx.lock({ name: "devices", keys: [deviceId] }, forChange, [userId, deviceId]))[0];
}
