import {
  channelsCreated,
  channelsDeleted,
  type channelUpdated,
  type editingStarted,
  type editingStopped,
  type peersAdded,
  type peersRemoved,
  type subscriptionsAdded,
  type subscriptionsRemoved,
  type subscriptionUpdated,
  type topicPolicyChanged,
  type typingStarted,
  type typingStopped,
} from "@carillon/contract";
import { fillNotifications } from "@carillon/model";

import type { Format } from "./outgoing-event.ts";

/** `stream/create`: without archived channels for clients that do not support them. */
export const formatStreamCreate: Format<typeof channelsCreated> = (outgoing) => {
  const { fields } = outgoing;
  if (outgoing.has("archived_channels")) return [outgoing.present(fields)];
  const streams = fields.streams.filter(({ is_archived }) => !is_archived);
  return streams.length > 0 ? [outgoing.present({ streams })] : [];
};

/** `stream/delete`: without archived channels for clients that do not have them. */
export const formatStreamDelete: Format<typeof channelsDeleted> = (outgoing) => {
  const { archived = [], stream_ids, streams } = outgoing.fields;
  if (archived.length === 0 || outgoing.has("archived_channels"))
    return [outgoing.present({ stream_ids, streams })];
  const left = stream_ids.filter((id) => !archived.includes(id));
  const leftStreams = left.map((stream_id) => ({ stream_id }));
  return left.length > 0 ? [outgoing.present({ stream_ids: left, streams: leftStreams })] : [];
};

/**
 * `stream/update`: for clients that do not support archived channels, archiving deletes the channel, unarchiving
 * creates it, and changes in between are not sent.
 */
export const formatStreamUpdate: Format<typeof channelUpdated> = (outgoing) => {
  const { channel, archived, ...fields } = outgoing.fields;
  if (outgoing.has("archived_channels")) return [outgoing.present(fields)];
  if (fields.property !== "is_archived") return archived ? [] : [outgoing.present(fields)];
  const { stream_id } = fields;
  if (fields.value === true)
    return [
      outgoing.presentAs(channelsDeleted, { stream_ids: [stream_id], streams: [{ stream_id }] }),
    ];
  return channel ? [outgoing.presentAs(channelsCreated, { streams: [channel] })] : [];
};

/** `subscription/add`: fills inherited notification settings in unless the client supports null. */
export const formatSubscriptionAdd: Format<typeof subscriptionsAdded> = (outgoing) => {
  const { inherited, subscriptions: all, only, settings, for_clients_without } = outgoing.fields;
  if (for_clients_without && outgoing.has(for_clients_without)) return [];
  const wanted = only && new Set(only);
  const subscriptions = all
    .filter(({ stream_id }) => wanted?.has(stream_id) ?? true)
    .map((subscription) => ({ ...subscription, ...settings?.[subscription.stream_id] }));
  if (outgoing.has("notification_settings_null")) return [outgoing.present({ subscriptions })];
  const filled = subscriptions.map((subscription) => fillNotifications(subscription, inherited));
  return [outgoing.present({ subscriptions: filled })];
};

/** `subscription/remove`: without archived channels for clients that do not have them. */
export const formatSubscriptionRemove: Format<typeof subscriptionsRemoved> = (outgoing) => {
  const { archived = [], subscriptions } = outgoing.fields;
  if (archived.length === 0 || outgoing.has("archived_channels"))
    return [outgoing.present({ subscriptions })];
  const left = subscriptions.filter(({ stream_id }) => !archived.includes(stream_id));
  return left.length > 0 ? [outgoing.present({ subscriptions: left })] : [];
};

/** `subscription/update`: without archived channels for clients that do not have them. */
export const formatSubscriptionUpdate: Format<typeof subscriptionUpdated> = (outgoing) => {
  const { archived, ...fields } = outgoing.fields;
  return archived && !outgoing.has("archived_channels") ? [] : [outgoing.present(fields)];
};

/**
 * `subscription/peer_add` and `peer_remove`: the log combines the changes of the same receivers. An account receives no
 * event about itself. If it has been subscribed, it receives none about the accounts subscribed with it either: its
 * `subscription/add` lists them. If it has been unsubscribed, it receives the others that were unsubscribed with it.
 * Archived channels are left out for clients that do not support them.
 */
export const formatPeers: Format<typeof peersAdded | typeof peersRemoved> = (outgoing) => {
  const { archived = [], for_clients_without, ...fields } = outgoing.fields;
  if (for_clients_without && outgoing.has(for_clients_without)) return [];
  const hidden = outgoing.has("archived_channels") ? [] : archived;
  const { userId } = outgoing.queue;
  return ("peers" in fields ? fields.peers : [fields]).flatMap(({ stream_ids: all, user_ids }) => {
    const stream_ids = hidden.length > 0 ? all.filter((id) => !hidden.includes(id)) : all;
    if (stream_ids.length === 0) return [];
    if (!user_ids.includes(userId)) return [outgoing.present({ stream_ids, user_ids })];
    if (outgoing.event.op === "peer_add" || user_ids.length === 1) return [];
    const others = user_ids.filter((id) => id !== userId);
    return [outgoing.present({ stream_ids, user_ids: others })];
  });
};

/** `typing`: in channels only for clients with the capability; in direct messages for all clients. */
export const formatTyping: Format<typeof typingStarted | typeof typingStopped> = (outgoing) => {
  const { fields } = outgoing;
  if (fields.message_type !== "stream") return [outgoing.present(fields)];
  if (!outgoing.has("stream_typing_notifications")) return [];
  return [outgoing.present({ ...fields, topic: outgoing.topic(fields.topic) })];
};

/** `typing_edit_message`: with the topic as the client knows it. */
export const formatEditing: Format<typeof editingStarted | typeof editingStopped> = (outgoing) => {
  const { fields } = outgoing;
  const { recipient } = fields;
  if (recipient.type !== "channel") return [outgoing.present(fields)];
  const topic = outgoing.topic(recipient.topic);
  return [outgoing.present({ ...fields, recipient: { ...recipient, topic } })];
};

/** `user_topic`: with the topic as the client knows it. */
export const formatUserTopic: Format<typeof topicPolicyChanged> = (outgoing) => {
  const { fields } = outgoing;
  return [outgoing.present({ ...fields, topic_name: outgoing.topic(fields.topic_name) })];
};
