import {
  type LoggedFields,
  type NewEvent,
  channelUpdated,
  channelsCreated,
  channelsDeleted,
  type ChannelObject,
} from "@carillon/contract";
import type { Channel } from "@carillon/model";

/** The event that makes channels known to accounts. */
export function channelsShownEvent(
  channels: readonly ChannelObject[],
  audience: readonly number[],
): NewEvent {
  return channelsCreated({ streams: channels }, { audience });
}

/** The event that takes channels away from accounts. */
export function channelsGoneEvent(
  channelIds: readonly number[],
  audience: readonly number[],
): NewEvent {
  const streams = channelIds.map((stream_id) => ({ stream_id }));
  return channelsDeleted({ stream_ids: channelIds, streams }, { audience });
}

type Updated = LoggedFields<typeof channelUpdated>;

/**
 * What those who see a channel are told of a new value of one of its properties.
 * @param more what some properties are told with
 */
export function channelPropertyEvent(
  channel: Pick<Channel, "id" | "name" | "isArchived">,
  property: string,
  value: Updated["value"],
  audience: readonly number[],
  more: Pick<
    Updated,
    "rendered_description" | "history_public_to_subscribers" | "is_web_public"
  > = {},
): NewEvent {
  const { id: stream_id, name, isArchived } = channel;
  const archived = isArchived ? { archived: true as const } : {};
  return channelUpdated({ stream_id, name, property, value, ...more, ...archived }, { audience });
}
