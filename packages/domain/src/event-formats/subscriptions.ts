import { fillNotifications } from "@carillon/model";
import type { Peers } from "../channels/peer-events.ts";
import type { LoggedFields, OwnFieldsOf, subscriptionsAdded } from "@carillon/contract";
import type { Formatter } from "./delivery.ts";

/** `subscription/add`: notification settings that are inherited are spelled out unless the client knows null. */
export const formatSubscriptionAdd: Formatter = (delivery) => {
  const { inherited, subscriptions, only, settings, ...fields } =
    delivery.fields() as unknown as LoggedFields<typeof subscriptionsAdded> &
      OwnFieldsOf<typeof subscriptionsAdded>;
  const wanted = only && new Set(only);
  const own = subscriptions
    .filter(({ stream_id }) => wanted?.has(stream_id) ?? true)
    .map((subscription) => ({ ...subscription, ...settings?.[subscription.stream_id] }));
  if (delivery.has("notification_settings_null"))
    return [delivery.with({ ...fields, subscriptions: own })];
  const filled = own.map((subscription) => fillNotifications(subscription, inherited));
  return [delivery.with({ ...fields, subscriptions: filled })];
};

/**
 * `subscription/peer_add` and `peer_remove`: the log keeps together what the same receivers are told. Nobody is told of
 * themselves: who came has got the others with the subscription, who went is told of those who went too.
 */
export const formatPeers: Formatter = (delivery) => {
  const { peers, ...fields } = delivery.fields() as { readonly peers?: readonly Peers[] };
  if (!peers) return [delivery.with(fields)];
  const { userId } = delivery.queue;
  return peers.flatMap(({ stream_ids, user_ids }) => {
    if (!user_ids.includes(userId)) return [delivery.with({ ...fields, stream_ids, user_ids })];
    if (delivery.event.op === "peer_add" || user_ids.length === 1) return [];
    const others = user_ids.filter((id) => id !== userId);
    return [delivery.with({ ...fields, stream_ids, user_ids: others })];
  });
};
