import type {
  peersAdded,
  peersRemoved,
  subscriptionUpdated,
  subscriptionsAdded,
  subscriptionsRemoved,
} from "@carillon/contract";
import { fillNotifications } from "@carillon/model";
import type { Format } from "./outgoing-event.ts";

/** `subscription/add`: notification settings that are inherited are spelled out unless the client knows null. */
export const formatSubscriptionAdd: Format<typeof subscriptionsAdded> = (outgoing) => {
  const { inherited, subscriptions: all, only, settings, for_clients_without } = outgoing.fields;
  if (for_clients_without && outgoing.has(for_clients_without)) return [];
  const wanted = only && new Set(only);
  const subscriptions = all
    .filter(({ stream_id }) => wanted?.has(stream_id) ?? true)
    .map((subscription) => ({ ...subscription, ...settings?.[subscription.stream_id] }));
  if (outgoing.has("notification_settings_null")) return [outgoing.tell({ subscriptions })];
  const filled = subscriptions.map((subscription) => fillNotifications(subscription, inherited));
  return [outgoing.tell({ subscriptions: filled })];
};

/** `subscription/remove`: without archived channels for clients that do not have them. */
export const formatSubscriptionRemove: Format<typeof subscriptionsRemoved> = (outgoing) => {
  const { archived = [], subscriptions } = outgoing.fields;
  if (archived.length === 0 || outgoing.has("archived_channels"))
    return [outgoing.tell({ subscriptions })];
  const left = subscriptions.filter(({ stream_id }) => !archived.includes(stream_id));
  return left.length > 0 ? [outgoing.tell({ subscriptions: left })] : [];
};

/** `subscription/update`: nothing of archived channels for clients that do not have them. */
export const formatSubscriptionUpdate: Format<typeof subscriptionUpdated> = (outgoing) => {
  const { archived, ...fields } = outgoing.fields;
  return archived && !outgoing.has("archived_channels") ? [] : [outgoing.tell(fields)];
};

/**
 * `subscription/peer_add` and `peer_remove`: the log keeps together what the same receivers are told. Nobody is told of
 * themselves: who came has got the others with the subscription, who went is told of those who went too. Clients that
 * do not know archived channels are told nothing of these.
 */
export const formatPeers: Format<typeof peersAdded | typeof peersRemoved> = (outgoing) => {
  const { archived = [], for_clients_without, ...fields } = outgoing.fields;
  if (for_clients_without && outgoing.has(for_clients_without)) return [];
  const hidden = outgoing.has("archived_channels") ? [] : archived;
  const { userId } = outgoing.queue;
  return ("peers" in fields ? fields.peers : [fields]).flatMap(({ stream_ids: all, user_ids }) => {
    const stream_ids = hidden.length > 0 ? all.filter((id) => !hidden.includes(id)) : all;
    if (stream_ids.length === 0) return [];
    if (!user_ids.includes(userId)) return [outgoing.tell({ stream_ids, user_ids })];
    if (outgoing.event.op === "peer_add" || user_ids.length === 1) return [];
    const others = user_ids.filter((id) => id !== userId);
    return [outgoing.tell({ stream_ids, user_ids: others })];
  });
};
