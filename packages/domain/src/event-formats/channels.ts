import { type channelUpdated, channelsCreated, channelsDeleted } from "@carillon/contract";
import type { Format } from "./outgoing-event.ts";

/** `stream/create`: without archived channels for clients that do not know what these are. */
export const formatStreamCreate: Format<typeof channelsCreated> = (outgoing) => {
  const { fields } = outgoing;
  if (outgoing.has("archived_channels")) return [outgoing.tell(fields)];
  const streams = fields.streams.filter(({ is_archived }) => !is_archived);
  return streams.length > 0 ? [outgoing.tell({ streams })] : [];
};

/** `stream/delete`: without archived channels for clients that do not have them. */
export const formatStreamDelete: Format<typeof channelsDeleted> = (outgoing) => {
  const { archived = [], stream_ids, streams } = outgoing.fields;
  if (archived.length === 0 || outgoing.has("archived_channels"))
    return [outgoing.tell({ stream_ids, streams })];
  const left = stream_ids.filter((id) => !archived.includes(id));
  const leftStreams = left.map((stream_id) => ({ stream_id }));
  return left.length > 0 ? [outgoing.tell({ stream_ids: left, streams: leftStreams })] : [];
};

/**
 * `stream/update`: for clients that do not know archived channels, archiving is the channel's end, its return a new
 * channel, and what happens in between is not told.
 */
export const formatStreamUpdate: Format<typeof channelUpdated> = (outgoing) => {
  const { channel, archived, ...fields } = outgoing.fields;
  if (outgoing.has("archived_channels")) return [outgoing.tell(fields)];
  if (fields.property !== "is_archived") return archived ? [] : [outgoing.tell(fields)];
  const { stream_id } = fields;
  if (fields.value === true)
    return [
      outgoing.tellAs(channelsDeleted, { stream_ids: [stream_id], streams: [{ stream_id }] }),
    ];
  return channel ? [outgoing.tellAs(channelsCreated, { streams: [channel] })] : [];
};
