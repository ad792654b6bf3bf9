import { statement, type Tx } from "@carillon/db";
import { recordIntents, reviveIntents } from "@carillon/outbox";
import { deleteMessages } from "@carillon/jobs";

/** Kinds of an account's messages to delete (users.md §4). */
export interface MessagesToDelete {
  readonly publicChannels: boolean;
  readonly privateChannels: boolean;
  readonly direct: boolean;
}

/** Limits the deletion to current ids, because a reactivated account may send messages before the deletion has finished. */
const record = statement({
  name: "message-deletions-record",
  text: `INSERT INTO message_deletion_jobs AS j (realm_id, user_id, acting_user_id,
      public_channel_messages, private_channel_messages, direct_messages, max_message_id)
    SELECT $1, id, $3, $4, $5, $6, (SELECT last_value FROM messages_id_seq) FROM unnest($2::int[]) AS u (id) ORDER BY id
    ON CONFLICT (user_id) WHERE finished_at IS NULL DO UPDATE SET
      acting_user_id = excluded.acting_user_id,
      public_channel_messages = j.public_channel_messages OR excluded.public_channel_messages,
      private_channel_messages = j.private_channel_messages OR excluded.private_channel_messages,
      direct_messages = j.direct_messages OR excluded.direct_messages,
      max_message_id = greatest(j.max_message_id, excluded.max_message_id)
    RETURNING id`,
});

/**
 * Requests the deletion of accounts' messages in the transaction that deactivates the accounts. The deletion for each
 * account is a flow of jobs. If the account has an unfinished deletion, extends it, and revives it if it is a dead
 * letter.
 */
export async function recordDeletions(
  tx: Tx,
  realmId: number,
  actorId: number,
  accountIds: readonly number[],
  { publicChannels, privateChannels, direct }: MessagesToDelete,
): Promise<void> {
  if (accountIds.length === 0 || !(publicChannels || privateChannels || direct)) return;
  const values = [realmId, accountIds, actorId, publicChannels, privateChannels, direct];
  const rows = await tx.lock({ name: "deletions", fresh: true }, record, values);
  const intents = rows.map(({ id }) => ({ key: String(id), payload: { deletionId: id } }));
  await recordIntents(tx, realmId, deleteMessages, intents);
  const keys = intents.map(({ key }) => key);
  await reviveIntents(tx, deleteMessages, keys);
}
