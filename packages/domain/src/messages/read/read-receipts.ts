import { type Reader, flag, loadRealm, requireMessage, switchSql } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

/**
 * Nothing leads from a message to who has a copy (docs/decisions/020): those are asked who may have one, people with a
 * subscription to its channel, active or not, the members of its conversation, and who has a `historical` copy.
 */
const readers = statement({
  name: "read-receipts",
  text: `WITH possible AS (
      SELECT s.user_id FROM subscriptions s WHERE s.channel_id = $3
      UNION SELECT unnest($4::int[])
      UNION SELECT um.user_id FROM user_messages um
        WHERE um.message_id = $2 AND um.flags & ${flag.historical} <> 0
    )
    SELECT coalesce(array_agg(u.id ORDER BY u.id), '{}') AS ids
    FROM possible JOIN users u ON u.id = possible.user_id
    JOIN user_messages um ON um.user_id = u.id AND um.message_id = $2
    WHERE um.flags & ${flag.read} <> 0 AND u.is_active AND u.id <> $5 AND ${switchSql("send_read_receipts")}
      AND NOT EXISTS (SELECT FROM muted_users m WHERE m.user_id = $1 AND m.muted_user_id = u.id)
      AND NOT EXISTS (SELECT FROM muted_users m WHERE m.user_id = u.id AND m.muted_user_id = $1)`,
  row: { ids: column.ints },
});

/**
 * Who has read the message and lets it be known (messages.md §6.6), ascending.
 * @param sql a transaction, repeatable read and read only
 * @throws ApiError `BAD_REQUEST`
 */
export async function readReceipts(sql: Sql, viewer: Reader, id: number): Promise<number[]> {
  const { channelId, memberIds, senderId } = await requireMessage(sql, viewer, id);
  const { enableReadReceipts } = await loadRealm(sql, viewer.realmId);
  if (!enableReadReceipts) throw errors.badRequest("This organization keeps no read receipts");
  const [row] = await sql.rows(readers, [viewer.id, id, channelId, memberIds ?? [], senderId]);
  return row?.ids ?? [];
}
