import type { ChannelObject } from "@carillon/contract";
import { statement, typed } from "@carillon/db";
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

/** Every channel whose metadata the account can see, sorted by name. */
export const channels: Section = {
  names: ["stream"],
  async load(context) {
    const visible = await visibleChannels(context);
    return { streams: visible.map(({ object }) => object) };
  },
};

/**
 * The channels that the account can see, in three lists sorted by name: subscribed, formerly subscribed, and never
 * subscribed, which have no subscription fields.
 */
export const subscriptions: Section = {
  names: ["subscription"],
  async load(context) {
    const { tx, includeSubscribers, needs } = context;
    // Channels have no e-mail addresses (channels.md §8).
    const older = needs.includes("channel_email") ? { email_address: "" } : {};
    const [visible, inherited] = await Promise.all([
      visibleChannels(context),
      loadInherited(context),
    ]);
    const channels = visible.map(({ channel }) => channel);
    const subscribersOf = await loadSubscriberFields(tx, includeSubscribers, channels);
    const present = ({ channel, object, subscription }: VisibleChannel): object => {
      // Returns the same object for most channels, which the section `stream` contains too.
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

/**
 * Loads the settings that fill unset notification settings of subscriptions; undefined if the client does this itself.
 */
async function loadInherited({
  tx,
  realm,
  actor,
  capabilities,
}: SnapshotContext): Promise<InheritedNotifications | undefined> {
  if (capabilities.has("notification_settings_null")) return undefined;
  return (await loadInheritedNotifications(tx, realm.id, [actor.id])).get(actor.id);
}

/** Returns the subscription's fields; empty if the account was never subscribed. */
function ownPart(
  subscription: VisibleChannel["subscription"],
  inherited: InheritedNotifications | undefined,
): Partial<OwnFields> {
  if (!subscription) return {};
  const own = ownFields(subscription);
  return inherited ? fillNotifications(own, inherited) : own;
}

/** An account's subscription to a channel, active or ended. */
type OwnSubscription = Subscription & { readonly active: boolean };

/** A channel that the account can see. */
interface VisibleChannel {
  readonly channel: Channel;
  /** The channel in the wire format; one object shared by all sections. */
  readonly object: ChannelObject;
  /** Null if the account was never subscribed. */
  readonly subscription: OwnSubscription | null;
}

/** Caches the channels for the second section that uses them. */
const loaded = new WeakMap<SnapshotContext, Promise<VisibleChannel[]>>();

/**
 * Returns every channel whose metadata the account can see (channels.md §3), sorted by name; archived ones only for
 * clients with `archived_channels`. Loaded once for each snapshot.
 */
function visibleChannels(context: SnapshotContext): Promise<VisibleChannel[]> {
  const known = loaded.get(context);
  if (known) return known;
  const found = load(context);
  loaded.set(context, found);
  return found;
}

/**
 * Looks up each channel's subscription by its key, because no index leads from an account to its ended subscriptions.
 */
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
  overrides: { packed: typed<PackedChannel>(), subscription: typed<OwnSubscription>() },
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
