import { createHash } from "node:crypto";
import type { Database } from "@carillon/db";
import type { World } from "./world.ts";

/** Returns the push key of an account: a byte for its kind and 32 bytes. */
export function pushKeyOf(id: number): Buffer {
  return Buffer.concat([Buffer.from([0x31]), createHash("sha256").update(String(id)).digest()]);
}

/** Registers a device for each member. */
export async function addDevices(db: Database, { members }: World): Promise<void> {
  await db.rows(
    `INSERT INTO client_devices (user_id, push_key, push_key_id, push_token_id, push_token_kind, push_token_last_updated)
     SELECT w.id, w.key, 1, int8send(w.id), 'fcm', now() FROM unnest($1::int[], $2::bytea[]) AS w (id, key)`,
    [members.map(({ id }) => id), members.map(({ id }) => pushKeyOf(id))],
  );
  await db.rows("VACUUM ANALYZE client_devices");
}

/** Removes all devices. */
export async function dropDevices(db: Database): Promise<void> {
  await db.rows("DELETE FROM client_devices");
  await db.rows("VACUUM ANALYZE client_devices");
}

/** Turns on push notifications for all messages in all subscribed channels of the members. */
export async function enablePushNotifications(db: Database, { members }: World): Promise<void> {
  await db.rows(
    "UPDATE subscriptions SET push_notifications = true WHERE user_id = ANY($1::int[])",
    [members.map(({ id }) => id)],
  );
  await db.rows("VACUUM ANALYZE subscriptions");
}
