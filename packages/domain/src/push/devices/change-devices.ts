import { bounds, errors } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { lockAccount, type Account } from "@carillon/model";

import { tellDevice } from "./tell-device.ts";

/**
 * What makes room: those that never registered for push, the oldest first, then those whose token is the oldest. The one
 * that the transaction has just made stays.
 */
const removeSurplus = statement({
  name: "devices-remove-surplus",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM client_devices WHERE id = ANY(ARRAY(
        SELECT id FROM client_devices WHERE user_id = $1 AND id <> $2
        ORDER BY push_token_last_updated DESC NULLS LAST, id DESC OFFSET $3))
      ORDER BY id FOR NO KEY UPDATE
    ) DELETE FROM client_devices d USING held WHERE d.id = held.id RETURNING d.id`,
  row: { id: column.bigint },
});

const insert = statement({
  name: "device-insert",
  text: "INSERT INTO client_devices (user_id) VALUES ($1) RETURNING id",
  row: { id: column.bigint },
});

/**
 * Makes a device, for another log-in of a client (push.md §5). At the bound another one goes.
 * @returns its id
 * @throws ApiError `UNAUTHORIZED` when the account is deactivated by now
 */
export async function createDevice(tx: Tx, actor: Account): Promise<number> {
  const account = await lockAccount(tx, actor.realmId, actor.id);
  if (!account?.isActive) throw errors.unauthorized();
  const [made] = await tx.rows(insert, [actor.id]);
  if (!made) throw new Error("a device was not stored");
  const gone = await tx.lock({ name: "devices" }, removeSurplus, [
    actor.id,
    made.id,
    bounds.devices - 1,
  ]);
  for (const { id } of gone) tellDevice.removed(tx, actor, id);
  tellDevice.added(tx, actor, made.id);
  return made.id;
}

const remove = statement({
  name: "device-remove",
  text: "DELETE FROM client_devices WHERE user_id = $1 AND id = $2 RETURNING id",
  row: { id: column.bigint },
});

/** Removes a device, with what is being registered for it. @throws ApiError `BAD_REQUEST` where the account has none such */
export async function removeDevice(tx: Tx, actor: Account, deviceId: number): Promise<void> {
  const lock = { name: "devices", keys: [deviceId] } as const;
  const gone = await tx.lock(lock, remove, [actor.id, deviceId]);
  if (gone.length === 0) throw noSuchDevice();
  tellDevice.removed(tx, actor, deviceId);
}

/** The refusal of an id that is no device's, or another account's. */
export function noSuchDevice() {
  return errors.badRequest("You have no such device");
}
