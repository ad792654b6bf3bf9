import * as z from "zod";
import { channelFields, channelObject } from "../operations/channel-object.ts";
import { groupSettingValue } from "../permissions/group-setting.ts";
import { archivedChannelIds } from "./archived.ts";
import { event } from "../primitives/event.ts";

export const channelsCreated = event({
  type: "stream",
  op: "create",
  about:
    "Channels were created, or have become visible to the receiver. Sent before the receiver's subscriptions to them.",
  to: "some",
  receivers: "accounts that can see the channels from now on",
  fields: { streams: z.array(channelObject) },
  weight: ({ streams }) => streams.length * 1_500,
  older: { archived_channels: { about: "Omits archived channels." } },
});

const deletedChannels = {
  stream_ids: z.array(z.int()),
  streams: z.array(z.strictObject({ stream_id: z.int() })),
};

export const channelsDeleted = event({
  type: "stream",
  op: "delete",
  about: "The receiver can no longer see the channels.",
  to: "some",
  receivers: "accounts that could see the channels",
  fields: deletedChannels,
  log: { ...deletedChannels, archived: archivedChannelIds },
  older: { archived_channels: { about: "Omits archived channels." } },
});

const property = {
  stream_id: z.int(),
  /** The name before the change. */
  name: z.string(),
  property: z.enum(Object.keys(channelFields)),
  value: z.union([z.string(), z.number(), z.boolean(), z.null(), groupSettingValue]),
};
const change = {
  ...property,
  /** Only for `description`. */
  rendered_description: z.string().optional(),
  /** Only for `invite_only`. */
  history_public_to_subscribers: z.boolean().optional(),
  is_web_public: z.boolean().optional(),
};

export const channelUpdated = event({
  type: "stream",
  op: "update",
  about: "One property of a channel changed.",
  to: "some",
  receivers: "accounts that can see the channel",
  fields: change,
  log: {
    ...change,
    /** The whole channel when it comes back from the archive, for clients that did not have it. */
    channel: channelObject.optional(),
    /** Set when the changed channel is archived. */
    archived: z.literal(true).optional(),
  },
  older: {
    archived_channels: {
      about:
        "Archiving is sent as `delete`, unarchiving as `create`, followed by `subscription/add` for subscribers and `peer_add` for others. Between them no events are sent.",
      becomes: [channelsDeleted, channelsCreated],
    },
  },
});
