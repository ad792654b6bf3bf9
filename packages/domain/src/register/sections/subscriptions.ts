import type { ChannelObject } from "@carillon/contract";
import { column, statement } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import {
  type Channel,
  channelColumns,
  fillNotifications,
  hasMetadataAccess,
  type InheritedNotifications,
  loadChannelPresenter,
  loadInheritedNotifications,
  type OwnFields,
  ownFields,
  type PackedChannel,
  packedChannel,
  type Subscription,
  subscriptionColumns,
  unpackChannel,
} from "@carillon/model";

import { loadSubscriberFields } from "../../channels/list-subscriptions.ts";
import type { Section, SnapshotContext } from "../../snapshot-section.ts";

/** Every channel whose metadata the account sees, sorted by name. */
export const channels: Section = {
  names: ["stream"],
  async load(context) {
    const visible = await visibleChannels(context);
    return { streams: visible.map(({ object }) => object) };
  },
};

/**
 * The channels that the account sees, in three lists, each sorted by name: those that it is subscribed to, those that
 * it was, and the others, which have nothing of a subscription.
 */
export const subscriptions: Section = {
  names: ["subscription"],
  async load(context) {
    const { tx, includeSubscribers, needs } = context;
    // No channel can be written to by mail (channels.md §8).
    const older = needs.includes("channel_email") ? { email_address: "" } : {};
    const [visible, inherited] = await Promise.all([
      visibleChannels(context),
      loadInherited(context),
    ]);
    const channels = visible.map(({ channel }) => channel);
    const subscribersOf = await loadSubscriberFields(tx, includeSubscribers, channels);
    const present = ({ channel, object, subscription }: VisibleChannel): object => {
      // Nothing is added to most of them: what the section `stream` tells goes out twice.
      if (!subscription && !includeSubscribers) return object;
      const own = ownPart(subscription, inherited);
      return {
        ...object,
        ...own,
        ...subscribersOf(channel),
        ...(subscription?.active ? older : {}),
      };
    };
    const listed = (active: boolean | undefined) =>
      inSlices(
        visible.filter(({ subscription }) => subscription?.active === active),
        present,
      );
    return {
      subscriptions: await listed(true),
      unsubscribed: await listed(false),
      never_subscribed: await listed(undefined),
    };
  },
};

/** What the notification settings of subscriptions are filled from; undefined where the client can do it itself. */
async function loadInherited({
  tx,
  realm,
  actor,
  capabilities,
}: SnapshotContext): Promise<InheritedNotifications | undefined> {
  if (capabilities.has("notification_settings_null")) return undefined;
  return (await loadInheritedNotifications(tx, realm.id, [actor.id])).get(actor.id);
}

/** What the account wants of the channel; nothing where it was never subscribed. */
function ownPart(
  subscription: VisibleChannel["subscription"],
  inherited: InheritedNotifications | undefined,
): Partial<OwnFields> {
  if (!subscription) return {};
  const own = ownFields(subscription);
  return inherited ? fillNotifications(own, inherited) : own;
}

/** An account's subscription to a channel, or one that has ended. */
type OwnSubscription = Subscription & { readonly active: boolean };

/** A channel that the account sees. */
interface VisibleChannel {
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
function visibleChannels(context: SnapshotContext): Promise<VisibleChannel[]> {
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
