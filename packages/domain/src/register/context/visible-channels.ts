import type { ChannelObject } from "@carillon/contract";
import { column, statement } from "@carillon/db";
import {
  type Channel,
  type PackedChannel,
  type Subscription,
  channelColumns,
  hasMetadataAccess,
  loadChannelPresenter,
  packedChannel,
  subscriptionColumns,
  unpackChannel,
} from "@carillon/model";
import { inSlices } from "@carillon/kit";
import type { SnapshotContext } from "./section.ts";

/** An account's subscription to a channel, or one that has ended. */
type OwnSubscription = Subscription & { readonly active: boolean };

/** A channel that the account sees. */
export interface VisibleChannel {
  readonly channel: Channel;
  /** The channel as clients see it: one object, in every section that shows it. */
  readonly object: ChannelObject;
  /** Null where the account was never subscribed. */
  readonly subscription: OwnSubscription | null;
}

/** Two sections show them; the second finds them here. */
const loaded = new WeakMap<SnapshotContext, Promise<VisibleChannel[]>>();

/**
 * Every channel whose metadata the account sees (channels.md §3), sorted by name; archived ones only for clients that
 * know what that is. Loaded once for a snapshot.
 */
export function visibleChannels(context: SnapshotContext): Promise<VisibleChannel[]> {
  const known = loaded.get(context);
  if (known) return known;
  const found = load(context);
  loaded.set(context, found);
  return found;
}

/** No index leads from an account to its ended subscriptions, so each channel's is looked up by its key. */
const all = statement({
  name: "channels-with-own-subscription",
  text: `SELECT ${packedChannel} AS packed, (
        SELECT row_to_json(own) FROM (
          SELECT ${subscriptionColumns}, s.active FROM subscriptions s
          WHERE s.channel_id = channel.id AND s.user_id = $2
        ) own
      ) AS subscription
    FROM (
      SELECT ${channelColumns} FROM channels c WHERE c.realm_id = $1 AND ($3 OR NOT c.is_archived)
      ORDER BY lower(c.name)
    ) channel`,
  row: {
    packed: column.json<PackedChannel>(),
    subscription: column.json<OwnSubscription>().orNull(),
  },
});

async function load(context: SnapshotContext): Promise<VisibleChannel[]> {
  const { tx, realm, actor, memberships, capabilities } = context;
  const withArchived = capabilities.has("archived_channels");
  const rows = await tx.rows(all, [realm.id, actor.id, withArchived]);
  const channels = await inSlices(rows, ({ packed, subscription }) => {
    const channel = unpackChannel(packed);
    const isSubscribed = subscription?.active === true;
    return hasMetadataAccess(actor, channel, memberships, isSubscribed)
      ? [{ channel, subscription }]
      : [];
  });
  const seen = channels.flat();
  const presenter = await loadChannelPresenter(
    tx,
    realm.id,
    seen.map(({ channel }) => channel),
  );
  return inSlices(seen, (each) => ({ ...each, object: presenter.present(each.channel) }));
}
