import { column, statement, type Tx } from "@carillon/db";

const devices = statement({
  name: "devices-of-account-remove",
  text: `WITH held AS MATERIALIZED (SELECT id FROM client_devices WHERE user_id = $1 ORDER BY id FOR NO KEY UPDATE)
    DELETE FROM client_devices d USING held WHERE d.id = held.id RETURNING d.id`,
  row: { id: column.bigint },
});

const legacyTokens = statement({
  name: "legacy-push-tokens-of-account-remove",
  text: `WITH held AS MATERIALIZED (SELECT id FROM legacy_push_tokens WHERE user_id = $1 ORDER BY id FOR NO KEY UPDATE)
    DELETE FROM legacy_push_tokens t USING held WHERE t.id = held.id RETURNING t.id`,
  row: { id: column.bigint },
});

/** Removes the devices and the older tokens of an account that is being deactivated, and whose clients hear nothing more. */
export async function forgetDevices(tx: Tx, userId: number): Promise<void> {
  await tx.lock({ name: "devices" }, devices, [userId]);
  await tx.lock({ name: "legacyPushTokens" }, legacyTokens, [userId]);
}
