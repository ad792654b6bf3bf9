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

/** Makes the event that adds channels for accounts that can now see them. */
export function channelsShownEvent(
  channels: readonly ChannelObject[],
  audience: Audience,
): NewEvent {
  return channelsCreated({ streams: channels }, { audience });
}

/** Returns the ids of archived channels for the event log; an empty object if there are none. */
export function archivedAmong(channels: ReadonlyArray<Pick<Channel, "id" | "isArchived">>): {
  readonly archived?: readonly number[];
} {
  const archived = channels.filter(({ isArchived }) => isArchived).map(({ id }) => id);
  return archived.length > 0 ? { archived } : {};
}

/** Makes the event that removes channels for accounts that can no longer see them. */
export function channelsHiddenEvent(
  channels: ReadonlyArray<Pick<Channel, "id" | "isArchived">>,
  audience: Audience,
): NewEvent {
  const stream_ids = channels.map(({ id }) => id);
  const streams = stream_ids.map((stream_id) => ({ stream_id }));
  return channelsDeleted({ stream_ids, streams, ...archivedAmong(channels) }, { audience });
}

/**
 * Makes the event of an unarchived channel. Clients without `archived_channels` receive it as a new channel.
 * @param object the channel after the change, without subscribers, which have their own event
 */
export function channelUnarchivedEvent(object: ChannelObject, audience: Audience): NewEvent {
  const { stream_id, name } = object;
  const back = { property: "is_archived", value: false, channel: object } as const;
  return channelUpdated({ stream_id, name, ...back }, { audience });
}

type Updated = LoggedFields<typeof channelUpdated>;

/**
 * Makes the event of a new value of a channel's property.
 * @param more further fields of some properties
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
