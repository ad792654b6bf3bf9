import type { PushTokenKind } from "@carillon/model";
import { column, statement, type RowOf, type Sql } from "@carillon/db";

const row = {
  deviceId: column.bigint,
  userId: column.int,
  /** 8 bytes */
  tokenId: column.bytes.neverNullHere(),
  tokenKind: column.text.as<PushTokenKind>().neverNullHere(),
  pushKeyId: column.bigint.neverNullHere(),
  /** 33 bytes */
  pushKey: column.bytes.neverNullHere(),
};

/** A device that can be pushed to. Its key and token are for the call alone: they go into no log and no job. */
export type Target = RowOf<typeof row>;

const active = statement({
  name: "devices-to-push-to",
  text: `SELECT d.id AS "deviceId", d.user_id AS "userId", d.push_token_id AS "tokenId", d.push_token_kind AS "tokenKind",
      d.push_key_id AS "pushKeyId", d.push_key AS "pushKey"
    FROM client_devices d WHERE d.user_id = ANY(ARRAY(SELECT unnest($1::int[]))) AND d.push_token_id IS NOT NULL
    ORDER BY d.user_id, d.id`,
  row,
});

/** The devices of the accounts that can be reached, by account. @param userIds each once */
export async function loadTargets(
  sql: Sql,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Target[]>> {
  const byUser = new Map<number, Target[]>();
  for (const target of await sql.rows(active, [userIds])) {
    const targets = byUser.get(target.userId);
    if (targets) targets.push(target);
    else byUser.set(target.userId, [target]);
  }
  return byUser;
}
