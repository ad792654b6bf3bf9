import { column, statement, type RowOf, type Sql } from "@carillon/db";
import type { PushTokenKind } from "@carillon/model";

const row = {
  /** 8 bytes */
  tokenId: column.bytes.neverNullHere(),
  tokenKind: column.text.as<PushTokenKind>().neverNullHere(),
  pushKeyId: column.bigint.neverNullHere(),
  /** 33 bytes */
  pushKey: column.bytes.neverNullHere(),
};

const active = statement({
  name: "devices-active",
  text: `SELECT push_token_id AS "tokenId", push_token_kind AS "tokenKind", push_key_id AS "pushKeyId",
      push_key AS "pushKey"
    FROM client_devices
    WHERE user_id = $1 AND ($2::bigint IS NULL OR id = $2) AND push_token_id IS NOT NULL
      AND push_token_kind IS NOT NULL AND push_key IS NOT NULL AND push_key_id IS NOT NULL
    ORDER BY id`,
  row,
});

/** The account's devices that notifications go to, or the one of them with the id. Their keys go into no log. */
export function activeDevices(
  sql: Sql,
  userId: number,
  deviceId: number | undefined,
): Promise<Array<RowOf<typeof row>>> {
  return sql.rows(active, [userId, deviceId ?? null]);
}
