import { column, statement, type Tx } from "@carillon/db";
import { recordIntents, reviveIntents } from "@carillon/outbox";
import { deleteMessages } from "@carillon/jobs";

/** Which of an account's messages are to be deleted (users.md §4). */
export interface MessagesToDelete {
  readonly publicChannels: boolean;
  readonly privateChannels: boolean;
  readonly direct: boolean;
}

/** What is sent from now on has a higher id: the accounts are deactivated, and may be back before their messages are gone. */
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
  row: { id: column.bigint },
});

/**
 * Writes down that messages of accounts are to be deleted, by a flow each, in the transaction that deactivates them. What
 * is not finished of an earlier deletion takes this up, and is tried again where it was given up.
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
