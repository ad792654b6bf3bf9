import {
  type AccessibleMessage,
  type Account,
  accessMessages,
  currentActor,
  lockAudiencesShared,
  noSuchMessage,
  loadAfter,
} from "@carillon/model";
import { ChangedMeanwhile, notNull, statement, type Tx } from "@carillon/db";

/** Messages whose flags an account may change, by id, ascending. */
export interface ChangeableMessages {
  readonly seen: ReadonlyMap<number, AccessibleMessage>;
  /** Messages that the account has a copy of, but whose channel it can no longer read; with the channel's id. */
  readonly copiesOnly: ReadonlyMap<number, number>;
}

/** What to do with ids of messages that the account neither sees nor has a copy of. */
export type Unseen = "refused" | "left out";

const copies = statement({
  name: "copies-in-channels",
  text: `SELECT um.message_id AS id, r.channel_id AS "channelId" FROM user_messages um
    JOIN messages m ON m.id = um.message_id JOIN recipients r ON r.id = m.recipient_id
    WHERE um.user_id = $1 AND um.message_id = ANY(ARRAY(SELECT unnest($2::bigint[]))) AND r.channel_id IS NOT NULL
    ORDER BY um.message_id`,
  overrides: { channelId: notNull },
});

/**
 * Loads the messages that the account sees or has a copy of.
 * @param ids ascending, without duplicates
 * @throws ApiError `BAD_REQUEST` if some are missing and `unseen` is "refused"
 */
export async function loadChangeable(
  tx: Tx,
  account: Account,
  ids: readonly number[],
  unseen: Unseen,
): Promise<ChangeableMessages> {
  if (!ids.every((id) => id > 0 && Number.isSafeInteger(id))) throw noSuchMessage();
  const seen = await accessMessages(tx, account, ids);
  const others = ids.filter((id) => !seen.has(id));
  const rows = others.length > 0 ? await tx.rows(copies, [account.id, others]) : [];
  if (rows.length < others.length && unseen === "refused") throw noSuchMessage();
  return { seen, copiesOnly: new Map(rows.map(({ id, channelId }) => [id, channelId])) };
}

const hold = statement({
  name: "messages-for-flags",
  text: `SELECT FROM messages WHERE realm_id = $1 AND id = ANY(ARRAY(SELECT unnest($2::bigint[])))
    ORDER BY id FOR SHARE`,
});

/**
 * Loads the messages like {@link loadChangeable}, and locks them and the account's subscriptions to their channels
 * until the transaction ends. For actions that insert copies.
 * @throws ChangedMeanwhile if a message was moved while waiting for its channel
 */
export async function lockChangeable(
  tx: Tx,
  account: Account,
  ids: readonly number[],
  unseen: Unseen,
): Promise<ChangeableMessages> {
  // Lock only messages that the account can see.
  const before = await loadChangeable(tx, account, ids, unseen);
  const channels = channelsOf(before);
  const { actor } = await loadAfter(
    [
      lockAudiencesShared(tx, [...channels]),
      tx.lock({ name: "messages", keys: ids, shared: true }, hold, [account.realmId, ids]),
    ],
    {
      actor: currentActor(tx, account),
    },
  );
  const after = await loadChangeable(tx, actor, ids, unseen);
  for (const id of channelsOf(after))
    if (!channels.has(id)) throw new ChangedMeanwhile(`a message was moved to channel ${id}`);
  return after;
}

function channelsOf({ seen, copiesOnly }: ChangeableMessages): Set<number> {
  const channels = new Set(copiesOnly.values());
  for (const { channelId } of seen.values()) if (channelId !== null) channels.add(channelId);
  return channels;
}
