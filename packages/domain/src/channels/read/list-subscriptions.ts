import type { SubscriptionObject } from "@carillon/contract";
import {
  type Account,
  type Subscription,
  loadChannelPresenter,
  loadChannels,
  loadSubscribers,
  presentSubscription,
  subscriptionColumns,
} from "@carillon/model";
import type { Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";

/** The account's subscriptions to channels that are not archived, sorted by name (channels.md §8). */
export async function listSubscriptions(
  sql: Sql,
  account: Account,
  options: { readonly subscribers: boolean },
): Promise<SubscriptionObject[]> {
  const own = await sql.rows<Subscription>(
    `SELECT ${subscriptionColumns} FROM subscriptions s JOIN channels c ON c.id = s.channel_id
     WHERE s.user_id = $1 AND s.active AND NOT c.is_archived ORDER BY lower(c.name)`,
    [account.id],
  );
  const ids = own.map(({ channelId }) => channelId);
  const channels = await loadChannels(sql, account.realmId, ids);
  const presenter = await loadChannelPresenter(sql, account.realmId, [...channels.values()]);
  const subscribersOf = options.subscribers ? await loadSubscribers(sql, ids) : undefined;
  const listed = own.flatMap((subscription) => {
    const channel = channels.get(subscription.channelId);
    return channel ? [{ subscription, channel }] : [];
  });
  return inSlices(listed, ({ subscription, channel }) =>
    presentSubscription(presenter, channel, subscription, subscribersOf?.(channel.id)),
  );
}
