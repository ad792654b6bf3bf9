import type { ChannelObject } from "@carillon/contract";
import {
  type Account,
  type OwnFields,
  type PackedChannel,
  type Subscription,
  channelColumns,
  loadChannelPresenter,
  ownFields,
  packedChannel,
  subscriptionColumns,
  unpackChannel,
} from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";

import {
  loadSubscriberFields,
  type SubscriberFields,
  type WantedSubscribers,
} from "./subscriber-fields.ts";

const own = statement({
  name: "channels-with-subscription-of",
  text: `SELECT ${packedChannel} AS packed, row_to_json(own) AS subscription
    FROM (SELECT ${subscriptionColumns} FROM subscriptions s WHERE s.user_id = $2 AND s.active) own
    JOIN (
      SELECT ${channelColumns} FROM channels c WHERE c.realm_id = $1 AND NOT c.is_archived
    ) channel ON channel.id = own."channelId"
    ORDER BY lower(channel.name)`,
  row: { packed: column.json<PackedChannel>(), subscription: column.json<Subscription>() },
});

/** The account's subscriptions to channels that are not archived, sorted by name (channels.md §8). */
export async function listSubscriptions(
  sql: Sql,
  account: Account,
  wanted: WantedSubscribers,
): Promise<Array<ChannelObject & OwnFields & SubscriberFields>> {
  const rows = await sql.rows(own, [account.realmId, account.id]);
  const listed = await inSlices(rows, ({ packed, subscription }) => ({
    channel: unpackChannel(packed),
    subscription,
  }));
  const channels = listed.map(({ channel }) => channel);
  const presenter = await loadChannelPresenter(sql, account.realmId, channels);
  const subscribersOf = await loadSubscriberFields(sql, wanted, channels);
  return inSlices(listed, ({ channel, subscription }) => ({
    ...presenter.present(channel),
    ...ownFields(subscription),
    ...subscribersOf(channel),
  }));
}
