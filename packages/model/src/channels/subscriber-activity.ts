import { column, statement, type Tx } from "@carillon/db";

import { lockChannels, type SubscriptionPair } from "./subscribe.ts";

/** A subscription that counts, or counts no more. */
export interface MarkedSubscription extends SubscriptionPair {
  /** Whether the channel is. */
  readonly isArchived: boolean;
}

/** The keys lead from the organization's channels to one account's rows, ended ones too; no index does. */
const mark = statement({
  name: "subscriptions-mark-active",
  text: `UPDATE subscriptions s SET is_user_active = $3 FROM channels c
    WHERE c.realm_id = $1 AND s.channel_id = c.id AND s.user_id = $2 AND s.is_user_active <> $3
    RETURNING s.channel_id AS "channelId", s.user_id AS "userId", s.active, c.is_archived AS "isArchived"`,
  row: {
    channelId: column.int,
    userId: column.int,
    active: column.bool,
    isArchived: column.bool,
  },
});

const subscribedTo = statement({
  name: "channels-subscribed-to-by",
  text: "SELECT DISTINCT channel_id AS id FROM subscriptions WHERE user_id = ANY($1::int[]) AND active",
  row: { id: column.int },
});

const count = statement({
  name: "channels-count-one",
  text: `WITH held AS MATERIALIZED (
      SELECT id FROM channels WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE channels c SET subscriber_count = c.subscriber_count + $2 FROM held WHERE c.id = held.id`,
  row: {},
});

/**
 * Locks every channel that one of the accounts is subscribed to: a change of several accounts takes them in one go.
 * None of the accounts sends anything until the transaction ends.
 */
export async function lockChannelsOf(
  tx: Tx,
  accounts: ReadonlyArray<{ readonly id: number }>,
): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  const subscribed = await tx.rows(subscribedTo, [ids]);
  await lockChannels(
    tx,
    subscribed.map((channel) => channel.id),
    ids,
  );
}

/**
 * Lets an account's subscriptions count, or not, as it is activated or deactivated: the rows stay (users.md §4).
 * @returns the account with each channel that has one subscriber more or less by it, archived ones too
 */
export async function markSubscriber(
  tx: Tx,
  { id, realmId }: { readonly id: number; readonly realmId: number },
  active: boolean,
): Promise<MarkedSubscription[]> {
  await lockChannelsOf(tx, [{ id }]);
  const rows = await tx.rows(mark, [realmId, id, active]);
  const pairs = rows
    .filter((row) => row.active)
    .map(({ channelId, userId, isArchived }) => ({ channelId, userId, isArchived }));
  const channelIds = pairs.map(({ channelId }) => channelId);
  if (pairs.length > 0)
    await tx.lock({ name: "channels", keys: channelIds }, count, [channelIds, active ? 1 : -1]);
  return pairs;
}
