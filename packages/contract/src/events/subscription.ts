import * as z from "zod";
import { subscriptionObject, subscriptionSwitches } from "../operations/channel-object.ts";
import { archivedChannelIds, onlyWithoutCapability } from "./archived.ts";
import { event } from "../primitives/event.ts";

const inherited = z.strictObject({
  desktop_notifications: z.boolean(),
  audible_notifications: z.boolean(),
  push_notifications: z.boolean(),
  email_notifications: z.boolean(),
  wildcard_mentions_notify: z.boolean(),
});
/** The fields of one subscription that differ from the logged ones. */
const ownSettings = z.strictObject({
  color: z.string().exactOptional(),
  is_muted: z.boolean().exactOptional(),
  in_home_view: z.boolean().exactOptional(),
  pin_to_top: z.boolean().exactOptional(),
  desktop_notifications: z.boolean().nullable().exactOptional(),
  audible_notifications: z.boolean().nullable().exactOptional(),
  push_notifications: z.boolean().nullable().exactOptional(),
  email_notifications: z.boolean().nullable().exactOptional(),
  wildcard_mentions_notify: z.boolean().nullable().exactOptional(),
});
const subscriptions = z.array(subscriptionObject.required({ subscribers: true }));

/** Weight of an id in a list, and of a channel object. */
const [idWeight, channelWeight] = [7, 1_500];

export const subscriptionsAdded = event({
  type: "subscription",
  op: "add",
  about: "The account was subscribed to channels.",
  to: "some",
  receivers: "who was subscribed",
  fields: { subscriptions },
  /** One row for all new subscribers: null notification settings stand for the values in `inherited`. */
  log: { subscriptions, inherited, for_clients_without: onlyWithoutCapability },
  own: {
    inherited,
    /** Ids of the channels that concern this receiver, if not all do. */
    only: z.array(z.int()),
    /** By channel id. */
    settings: z.record(z.string(), ownSettings),
  },
  weight: ({ subscriptions: rows }) =>
    rows.reduce((sum, { subscribers }) => sum + channelWeight + subscribers.length * idWeight, 0),
  older: {
    notification_settings_null: {
      about: "Has the values of the account's settings in place of null notification settings.",
    },
    archived_channels: { about: "Also sent when a channel is unarchived." },
  },
});

const ended = { subscriptions: z.array(z.strictObject({ stream_id: z.int(), name: z.string() })) };

export const subscriptionsRemoved = event({
  type: "subscription",
  op: "remove",
  about: "The account was unsubscribed from channels.",
  to: "some",
  receivers: "who was unsubscribed",
  fields: ended,
  log: { ...ended, archived: archivedChannelIds },
  older: { archived_channels: { about: "Omits archived channels." } },
});

const propertyOf = { stream_id: z.int() };
const changed = [
  { ...propertyOf, property: z.literal("color"), value: z.string() },
  {
    ...propertyOf,
    property: z.enum(subscriptionSwitches),
    value: z.boolean(),
  },
] as const;

export const subscriptionUpdated = event({
  type: "subscription",
  op: "update",
  about:
    "One property of a subscription changed. Muting is sent twice: as `in_home_view`, then as `is_muted`.",
  to: "some",
  receivers: "the account",
  fields: changed,
  log: [
    { ...changed[0], archived: archivedChannelIds },
    { ...changed[1], archived: archivedChannelIds },
  ],
  older: { archived_channels: { about: "Not sent for archived channels." } },
});

const peers = { stream_ids: z.array(z.int()), user_ids: z.array(z.int()) };
const marks = { archived: archivedChannelIds, for_clients_without: onlyWithoutCapability };
/** One row holds everything that the same receivers get; an account gets no event about itself. */
const peersLog = [
  { ...peers, ...marks },
  { peers: z.array(z.strictObject(peers)), ...marks },
] as const;

const weightOfPeers = ({ stream_ids, user_ids }: { stream_ids: number[]; user_ids: number[] }) =>
  (stream_ids.length + user_ids.length) * idWeight;

export const peersAdded = event({
  type: "subscription",
  op: "peer_add",
  about: "Other accounts were subscribed to channels.",
  to: "some",
  receivers: "accounts that can see the channels, except the subscribed accounts themselves",
  fields: peers,
  log: peersLog,
  weight: weightOfPeers,
  older: {
    archived_channels: {
      about: "Omits archived channels. Also sent when a channel is unarchived.",
    },
  },
});

export const peersRemoved = event({
  type: "subscription",
  op: "peer_remove",
  about: "Other accounts were unsubscribed from channels, or deactivated.",
  to: "some",
  receivers: "accounts that can see the channels, except the subscribed accounts themselves",
  fields: peers,
  log: peersLog,
  weight: weightOfPeers,
  older: { archived_channels: { about: "Omits archived channels." } },
});
