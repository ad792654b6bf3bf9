import {
  deviceAdded,
  type DeviceObject,
  deviceRemoved,
  deviceUpdated,
  errors,
  maxDevices,
  type NewEvent,
} from "@carillon/contract";
import { type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  deviceColumns,
  deviceOverrides,
  lockAccount,
  type PushDevice,
} from "@carillon/model";

const removeAll = statement({
  name: "devices-of-account-remove",
  text: `WITH held AS MATERIALIZED (SELECT id FROM client_devices WHERE user_id = $1 ORDER BY id FOR NO KEY UPDATE)
    DELETE FROM client_devices d USING held WHERE d.id = held.id RETURNING d.id`,
});

const ofAccount = statement({
  name: "devices-of-account",
  text: `SELECT ${deviceColumns} FROM client_devices d WHERE d.user_id = $1 ORDER BY d.id`,
  overrides: deviceOverrides,
});

/** Lists the account's devices by their ids. */
export async function listDevices(
  sql: Sql,
  userId: number,
): Promise<Readonly<Record<string, DeviceObject>>> {
  const rows = await sql.rows(ofAccount, [userId]);
  return Object.fromEntries(rows.map((device) => [device.id, presentDevice(device)]));
}

const remove = statement({
  name: "device-remove",
  text: "DELETE FROM client_devices WHERE user_id = $1 AND id = $2 RETURNING id",
});

/**
 * Removes devices at the limit: first devices that were never registered for push, oldest first, then the devices with
 * the oldest tokens. Never removes the device `$2`, which was just created.
 */
const removeSurplus = statement({
  name: "devices-remove-surplus",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM client_devices WHERE id = ANY(ARRAY(
        SELECT id FROM client_devices WHERE user_id = $1 AND id <> $2
        ORDER BY push_token_last_updated DESC NULLS LAST, id DESC OFFSET $3))
      ORDER BY id FOR NO KEY UPDATE
    ) DELETE FROM client_devices d USING held WHERE d.id = held.id RETURNING d.id`,
});

/**
 * Creates a device for a client's login (push.md §5). At the limit, another device is removed.
 * @returns its id
 * @throws ApiError `UNAUTHORIZED` if the account has been deactivated
 */
export async function createDevice(tx: Tx, actor: Account): Promise<number> {
  const account = await lockAccount(tx, actor.realmId, actor.id);
  if (!account?.isActive) throw errors.unauthorized();
  const prisma = await tx.prisma();
  const made = await prisma.clientDevice.create({
    data: { userId: actor.id },
    select: { id: true },
  });
  const id = Number(made.id);
  const removed = await tx.lock({ name: "devices" }, removeSurplus, [actor.id, id, maxDevices - 1]);
  for (const { id: removedId } of removed) emitDeviceEvent.removed(tx, actor, removedId);
  emitDeviceEvent.added(tx, actor, id);
  return id;
}

/** Removes a device and its pending registration. @throws ApiError `BAD_REQUEST` if the account has no such device */
export async function removeDevice(tx: Tx, actor: Account, deviceId: number): Promise<void> {
  const lock = { name: "devices", keys: [deviceId] } as const;
  const removed = await tx.lock(lock, remove, [actor.id, deviceId]);
  if (removed.length === 0) throw noSuchDevice();
  emitDeviceEvent.removed(tx, actor, deviceId);
}

/** The error for an unknown device id, or another account's. */
export function noSuchDevice() {
  return errors.badRequest("You have no such device");
}

const removeLegacyTokens = statement({
  name: "legacy-push-tokens-of-account-remove",
  text: `WITH held AS MATERIALIZED (SELECT id FROM legacy_push_tokens WHERE user_id = $1 ORDER BY id FOR NO KEY UPDATE)
    DELETE FROM legacy_push_tokens t USING held WHERE t.id = held.id RETURNING t.id`,
});

/** Removes all devices and legacy tokens of an account that is being deactivated; sends no events. */
export async function forgetDevices(tx: Tx, userId: number): Promise<void> {
  await tx.lock({ name: "devices" }, removeAll, [userId]);
  await tx.lock({ name: "legacyPushTokens" }, removeLegacyTokens, [userId]);
}

/** Converts a device to its wire format (push.md §5). */
function presentDevice(device: PushDevice): DeviceObject {
  const updated = device.pushTokenLastUpdated;
  return {
    push_key_id: device.pushKeyId,
    push_token_id: base64(device.pushTokenId),
    pending_push_token_id: base64(device.pendingPushTokenId),
    push_token_last_updated_timestamp: updated && unixSeconds(updated),
    push_registration_error_code: device.pushRegistrationErrorCode,
  };
}

/** Converts a token's id to its wire format. */
export function base64(tokenId: Buffer): string;
export function base64(tokenId: Buffer | null): string | null;
export function base64(tokenId: Buffer | null): string | null {
  return tokenId && tokenId.toString("base64");
}

export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

/** The account whose clients receive the events. */
interface Owner {
  readonly id: number;
  readonly realmId: number;
}

/** Emits events of a device to its owner's clients, with the transaction's commit (push.md §8). */
export const emitDeviceEvent = {
  added: (tx: Tx, owner: Owner, deviceId: number) =>
    emitOne(tx, owner, deviceAdded({ device_id: deviceId }, to(owner))),

  /**
   * Emits a change.
   * @param changed only the changed fields
   */
  updated: (tx: Tx, owner: Owner, deviceId: number, changed: Partial<DeviceObject>) =>
    emitOne(tx, owner, deviceUpdated({ device_id: deviceId, ...changed }, to(owner))),

  removed: (tx: Tx, owner: Owner, deviceId: number) =>
    emitOne(tx, owner, deviceRemoved({ device_id: deviceId }, to(owner))),
};

function to({ id }: Owner) {
  return { audience: [id] };
}

function emitOne(tx: Tx, { realmId }: Owner, event: NewEvent): void {
  emit(tx, realmId, [event]);
}
