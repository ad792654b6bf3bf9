import {
  type ChannelPresenter,
  type InheritedNotifications,
  fillNotifications,
  loadInheritedNotifications,
  presentSubscription,
} from "@carillon/model";
import { inSlices } from "@carillon/kit";
import type { Section, SnapshotContext } from "../context/section.ts";
import { loadSubscriberFields } from "../context/subscriber-fields.ts";
import { visibleChannels, type VisibleChannel } from "../context/visible-channels.ts";

/**
 * The channels that the account sees, in three lists, each sorted by name: those that it is subscribed to, those that
 * it was, and the others, which have nothing of a subscription.
 */
export const subscriptions: Section = {
  names: ["subscription"],
  async load(context) {
    const [{ channels, presenter }, inherited] = await Promise.all([
      visibleChannels(context),
      loadInherited(context),
    ]);
    const subscribersOf = await loadSubscriberFields(context, channels);
    const present = (channel: VisibleChannel) => ({
      ...withSubscription(presenter, channel, inherited),
      ...subscribersOf(channel),
    });
    const listed = (active: VisibleChannel["active"]) =>
      inSlices(
        channels.filter((channel) => channel.active === active),
        present,
      );
    return {
      subscriptions: await listed(true),
      unsubscribed: await listed(false),
      never_subscribed: await listed(null),
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

function withSubscription(
  presenter: ChannelPresenter,
  channel: VisibleChannel,
  inherited: InheritedNotifications | undefined,
): object {
  if (channel.active === null) return presenter.present(channel);
  const subscription = presentSubscription(presenter, channel, channel);
  return inherited ? fillNotifications(subscription, inherited) : subscription;
}
