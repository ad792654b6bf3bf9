import { column, statement, type Tx } from "@carillon/db";

import { tellDevice } from "../devices/tell-device.ts";
import { registrationHours } from "./registration.ts";

/** Of a device, called `d`. */
const isOverdue = `d.pending_push_token_id IS NOT NULL AND d.push_registration_error_code IS NULL
  AND d.push_token_last_updated <= now() - interval '${registrationHours} h'`;

const overdue = statement({
  name: "devices-registering-for-long",
  text: `SELECT d.id, u.realm_id AS "realmId" FROM client_devices d JOIN users u ON u.id = d.user_id
    WHERE ${isOverdue} ORDER BY d.push_token_last_updated LIMIT $1`,
  row: { id: column.bigint, realmId: column.int },
});

const lockOverdue = statement({
  name: "devices-lock-registering-for-long",
  text: `SELECT d.id, d.user_id AS "userId" FROM client_devices d
    WHERE d.id = ANY($1::bigint[]) AND ${isOverdue} ORDER BY d.id FOR NO KEY UPDATE`,
  row: { id: column.bigint, userId: column.int },
});

const giveUp = statement({
  name: "devices-give-registering-up",
  text: `WITH gone AS (DELETE FROM push_registrations WHERE device_id = ANY($1::bigint[]))
    UPDATE client_devices SET push_registration_error_code = $2 WHERE id = ANY($1::bigint[])`,
  row: {},
});

/** What clients learn of a registration on which the bouncer has not decided in time. */
export const registrationExpired = "REQUEST_EXPIRED";

/**
 * Gives up registrations that nobody has decided on within a day, whatever became of their jobs: a device that is pending
 * for ever could never register again (push.md §3). One organization's at a time.
 * @returns how many devices were looked at; 0: there are no more
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
    tellDevice.updated(tx, { id: userId, realmId }, id, {
      push_registration_error_code: registrationExpired,
    });
  return ids.length;
}
