import {
  deviceAdded,
  deviceRemoved,
  deviceUpdated,
  type DeviceObject,
  type NewEvent,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";

/** Whose clients are told. */
interface Owner {
  readonly id: number;
  readonly realmId: number;
}

/** What the clients of a device's owner are told of it, with the transaction's commit (push.md §8). */
export const tellDevice = {
  added: (tx: Tx, owner: Owner, deviceId: number) =>
    tell(tx, owner, deviceAdded({ device_id: deviceId }, to(owner))),

  /** @param changed only what is different */
  updated: (tx: Tx, owner: Owner, deviceId: number, changed: Partial<DeviceObject>) =>
    tell(tx, owner, deviceUpdated({ device_id: deviceId, ...changed }, to(owner))),

  removed: (tx: Tx, owner: Owner, deviceId: number) =>
    tell(tx, owner, deviceRemoved({ device_id: deviceId }, to(owner))),
};

function to({ id }: Owner) {
  return { audience: [id] };
}

function tell(tx: Tx, { realmId }: Owner, event: NewEvent): void {
  emit(tx, realmId, [event]);
}
