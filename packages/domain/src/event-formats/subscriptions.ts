import type { peersAdded, peersRemoved, subscriptionsAdded } from "@carillon/contract";
import { fillNotifications } from "@carillon/model";
import type { Format } from "./delivery.ts";

/** `subscription/add`: notification settings that are inherited are spelled out unless the client knows null. */
export const formatSubscriptionAdd: Format<typeof subscriptionsAdded> = (delivery) => {
  const { inherited, subscriptions: all, only, settings } = delivery.fields;
  const wanted = only && new Set(only);
  const subscriptions = all
    .filter(({ stream_id }) => wanted?.has(stream_id) ?? true)
    .map((subscription) => ({ ...subscription, ...settings?.[subscription.stream_id] }));
  if (delivery.has("notification_settings_null")) return [delivery.tell({ subscriptions })];
  const filled = subscriptions.map((subscription) => fillNotifications(subscription, inherited));
  return [delivery.tell({ subscriptions: filled })];
};

/**
 * `subscription/peer_add` and `peer_remove`: the log keeps together what the same receivers are told. Nobody is told of
 * themselves: who came has got the others with the subscription, who went is told of those who went too.
 */
export const formatPeers: Format<typeof peersAdded | typeof peersRemoved> = (delivery) => {
  const { fields } = delivery;
  if (!("peers" in fields)) return [delivery.tell(fields)];
  const { userId } = delivery.queue;
  return fields.peers.flatMap(({ stream_ids, user_ids }) => {
    if (!user_ids.includes(userId)) return [delivery.tell({ stream_ids, user_ids })];
    if (delivery.event.op === "peer_add" || user_ids.length === 1) return [];
    const others = user_ids.filter((id) => id !== userId);
    return [delivery.tell({ stream_ids, user_ids: others })];
  });
};
