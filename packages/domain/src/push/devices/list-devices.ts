import type { DeviceObject } from "@carillon/contract";
import { statement, type Sql } from "@carillon/db";
import { deviceColumns, deviceRow } from "@carillon/model";

import { presentDevice } from "./present-device.ts";

const ofAccount = statement({
  name: "devices-of-account",
  text: `SELECT ${deviceColumns} FROM client_devices d WHERE d.user_id = $1 ORDER BY d.id`,
  row: deviceRow,
});

/** The account's devices by their ids. */
export async function listDevices(
  sql: Sql,
  userId: number,
): Promise<Readonly<Record<string, DeviceObject>>> {
  const rows = await sql.rows(ofAccount, [userId]);
  return Object.fromEntries(rows.map((device) => [device.id, presentDevice(device)]));
}
