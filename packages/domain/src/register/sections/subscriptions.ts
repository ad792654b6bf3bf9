import {
  type InheritedNotifications,
  type OwnFields,
  fillNotifications,
  loadInheritedNotifications,
  ownFields,
} from "@carillon/model";
import { inSlices } from "@carillon/kit";
import { loadSubscriberFields } from "../../channels/read/subscriber-fields.ts";
import type { Section, SnapshotContext } from "../context/section.ts";
import { visibleChannels, type VisibleChannel } from "../context/visible-channels.ts";

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
