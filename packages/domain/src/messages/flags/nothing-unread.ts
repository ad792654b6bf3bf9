import { flag } from "@carillon/model";
import { column, statement, type Tx } from "@carillon/db";
import { holdHead } from "@carillon/events";

const unread = statement({
  name: "unread-exists",
  text: `SELECT EXISTS (
    SELECT FROM user_messages WHERE user_id = $1 AND flags & ${flag.read} = 0) AS any`,
  row: { any: column.bool },
});

/**
 * Whether the account has read everything that was told before this transaction's events, and nobody can change that
 * before it commits. It must commit at once where this is so: others of the organization wait with their events.
 */
export async function nothingUnread(
  tx: Tx,
  { id, realmId }: { readonly id: number; readonly realmId: number },
): Promise<boolean> {
  // Entries of the index whose copies have been read since are walked over, and marked as dead, before anybody waits.
  if ((await tx.first(unread, [id]))?.any) return false;
  await holdHead(tx, realmId);
  return !(await tx.first(unread, [id]))?.any;
}
