import {
  type Audience,
  type ChannelObject,
  channelsCreated,
  channelsDeleted,
  channelUpdated,
  type LoggedFields,
  type NewEvent,
} from "@carillon/contract";
import type { Channel } from "@carillon/model";

/** The event that makes channels known to accounts. */
export function channelsShownEvent(
  channels: readonly ChannelObject[],
  audience: Audience,
): NewEvent {
  return channelsCreated({ streams: channels }, { audience });
}

/** Ids of those channels that are archived, for the log; nothing where none is. */
export function archivedAmong(channels: ReadonlyArray<Pick<Channel, "id" | "isArchived">>): {
  readonly archived?: readonly number[];
} {
  const archived = channels.filter(({ isArchived }) => isArchived).map(({ id }) => id);
  return archived.length > 0 ? { archived } : {};
}

/** The event that takes channels away from accounts. */
export function channelsGoneEvent(
  channels: ReadonlyArray<Pick<Channel, "id" | "isArchived">>,
  audience: Audience,
): NewEvent {
  const stream_ids = channels.map(({ id }) => id);
  const streams = stream_ids.map((stream_id) => ({ stream_id }));
  return channelsDeleted({ stream_ids, streams, ...archivedAmong(channels) }, { audience });
}

/**
 * What those who see a channel are told when it comes back from the archive: clients that do not know what that is get
 * it as a new one.
 * @param object the channel from now on, without subscribers, who are told of besides
 */
export function channelReturnedEvent(object: ChannelObject, audience: Audience): NewEvent {
  const { stream_id, name } = object;
  const back = { property: "is_archived", value: false, channel: object } as const;
  return channelUpdated({ stream_id, name, ...back }, { audience });
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
  audience: Audience,
  more: Pick<
    Updated,
    "rendered_description" | "history_public_to_subscribers" | "is_web_public"
  > = {},
): NewEvent {
  const { id: stream_id, name, isArchived } = channel;
  const archived = isArchived ? { archived: true as const } : {};
  return channelUpdated({ stream_id, name, property, value, ...more, ...archived }, { audience });
}
