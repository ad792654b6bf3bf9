import { notNull, type RowOf, type Sql, statement, type Tx } from "@carillon/db";

import { emitDeviceEvent } from "../devices/devices.ts";
import { removeLegacyTokens } from "../devices/legacy-tokens.ts";

/** Identifies a device's registration; a new registration of the device has another id. */
interface RegistrationRef {
  readonly deviceId: number;
  readonly registrationId: number;
}

/** Hours after which the bouncer rejects an encrypted registration, so that retrying is useless (push.md §3). */
const registrationHours = 24;

const pendingOne = statement({
  name: "push-registration-pending",
  text: `SELECT o.uuid AS "realmUuid", d.pending_push_token_id AS "tokenId",
      r.bouncer_public_key AS "bouncerPublicKey", r.encrypted_registration AS "encryptedRegistration",
      d.push_token_last_updated <= now() - interval '${registrationHours} h' AS "isExpired"
    FROM push_registrations r JOIN client_devices d ON d.id = r.device_id
    JOIN users u ON u.id = d.user_id JOIN realms o ON o.id = u.realm_id
    WHERE r.id = $1 AND d.id = $2 AND u.realm_id = $3
      AND d.pending_push_token_id IS NOT NULL AND d.push_registration_error_code IS NULL
      AND d.push_token_last_updated IS NOT NULL`,
  overrides: {
    /** 8 bytes */
    tokenId: notNull,
    /** Whether {@link registrationHours} have passed since the device registered. */
    isExpired: notNull,
  },
});

/**
 * Loads what to send to the bouncer; undefined if the device is removed, has a newer registration, or has its answer.
 */
export async function pendingRegistration(
  sql: Sql,
  realmId: number,
  { deviceId, registrationId }: RegistrationRef,
): Promise<RowOf<typeof pendingOne> | undefined> {
  return (await sql.rows(pendingOne, [registrationId, deviceId, realmId]))[0];
}

const lockPending = statement({
  name: "device-lock-pending",
  text: `SELECT d.user_id AS "userId" FROM client_devices d
    WHERE d.id = $1 AND d.pending_push_token_id IS NOT NULL AND d.push_registration_error_code IS NULL
      AND EXISTS (SELECT FROM users u WHERE u.id = d.user_id AND u.realm_id = $2)
    FOR NO KEY UPDATE`,
});

/** The caller holds the device's lock: a newer registration takes it too, before it replaces this one. */
const take = statement({
  name: "push-registration-take",
  text: "DELETE FROM push_registrations WHERE id = $1 AND device_id = $2 RETURNING id",
});

const acknowledge = statement({
  name: "device-acknowledge-token",
  text: `UPDATE client_devices SET push_token_id = pending_push_token_id,
      push_token_kind = pending_push_token_kind, pending_push_token_id = NULL, pending_push_token_kind = NULL
    WHERE id = $1 RETURNING push_token_id AS "tokenId"`,
  overrides: { tokenId: notNull },
});

const refuse = statement({
  name: "device-refuse-token",
  text: "UPDATE client_devices SET push_registration_error_code = $2 WHERE id = $1",
});

/**
 * Stores the bouncer's decision and sends an event to the owner. Does nothing if the device was removed or registers
 * another token meanwhile (push.md §3).
 * @param refusal the bouncer's error code; undefined if it has accepted the token
 */
export async function settleRegistration(
  tx: Tx,
  realmId: number,
  { deviceId, registrationId }: RegistrationRef,
  refusal?: string,
): Promise<void> {
  const lock = { name: "devices", keys: [deviceId] } as const;
  const [device] = await tx.lock(lock, lockPending, [deviceId, realmId]);
  if (!device) return;
  if ((await tx.rows(take, [registrationId, deviceId])).length === 0) return;
  const owner = { id: device.userId, realmId };
  if (refusal !== undefined) {
    await tx.rows(refuse, [deviceId, refusal]);
    emitDeviceEvent.updated(tx, owner, deviceId, { push_registration_error_code: refusal });
    return;
  }
  const [stored] = await tx.rows(acknowledge, [deviceId]);
  if (!stored) throw new Error("a token was not acknowledged");
  emitDeviceEvent.updated(tx, owner, deviceId, {
    push_token_id: stored.tokenId.toString("base64"),
    pending_push_token_id: null,
  });
  await removeLegacyTokens(tx, owner.id, stored.tokenId);
}

/** SQL condition on a device `d`. */
const isOverdue = `d.pending_push_token_id IS NOT NULL AND d.push_registration_error_code IS NULL
  AND d.push_token_last_updated <= now() - interval '${registrationHours} h'`;

const overdue = statement({
  name: "devices-registering-for-long",
  text: `SELECT d.id, u.realm_id AS "realmId" FROM client_devices d JOIN users u ON u.id = d.user_id
    WHERE ${isOverdue} ORDER BY d.push_token_last_updated LIMIT $1`,
});

const lockOverdue = statement({
  name: "devices-lock-registering-for-long",
  text: `SELECT d.id, d.user_id AS "userId" FROM client_devices d
    WHERE d.id = ANY($1::bigint[]) AND ${isOverdue} ORDER BY d.id FOR NO KEY UPDATE`,
});

const giveUp = statement({
  name: "devices-give-registering-up",
  text: `WITH gone AS (DELETE FROM push_registrations WHERE device_id = ANY($1::bigint[]))
    UPDATE client_devices SET push_registration_error_code = $2 WHERE id = ANY($1::bigint[])`,
});

/** Error code for a registration that the bouncer has not decided in time. */
export const registrationExpired = "REQUEST_EXPIRED";

/**
 * Fails registrations that are undecided after a day, whatever happened to their jobs: otherwise a pending device could
 * never register again (push.md §3). Handles one organization at a time.
 * @returns how many devices were examined; 0 if there are no more
 */
export async function expireRegistrations(tx: Tx, limit: number): Promise<number> {
  const found = await tx.rows(overdue, [limit]);
  const [first] = found;
  if (!first) return 0;
  const { realmId } = first;
  const ids = found
    .filter((device) => device.realmId === realmId)
    .map(({ id }) => id)
    .toSorted((a, b) => a - b);
  const devices = await tx.lock({ name: "devices", keys: ids }, lockOverdue, [ids]);
  if (devices.length > 0) await tx.rows(giveUp, [devices.map(({ id }) => id), registrationExpired]);
  for (const { id, userId } of devices)
    emitDeviceEvent.updated(tx, { id: userId, realmId }, id, {
      push_registration_error_code: registrationExpired,
    });
  return ids.length;
}
