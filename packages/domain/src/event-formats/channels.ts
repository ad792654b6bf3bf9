import type { Formatter } from "./delivery.ts";

/** `stream/create`: without archived channels for clients that do not know what these are. */
export const formatStreamCreate: Formatter = (delivery) => {
  const fields = delivery.fields();
  if (delivery.has("archived_channels")) return [delivery.with(fields)];
  const all = fields["streams"] as ReadonlyArray<{ readonly is_archived: boolean }>;
  const streams = all.filter(({ is_archived }) => !is_archived);
  return streams.length > 0 ? [delivery.with({ ...fields, streams })] : [];
};

/** What the log keeps beside the fields of the wire. */
interface LoggedChannelUpdate {
  readonly stream_id: number;
  readonly property: string;
  readonly value: unknown;
  /** When a channel comes back from the archive: the whole channel, for clients that did not have it. */
  readonly channel?: object;
  /** Of any other change: true where it is made to a channel that is archived. */
  readonly archived?: boolean;
}

/**
 * `stream/update`: for clients that do not know archived channels, archiving is the channel's end, its return a new
 * channel, and what happens in between is not told.
 */
export const formatStreamUpdate: Formatter = (delivery) => {
  const { channel, archived, ...fields } = delivery.fields() as unknown as LoggedChannelUpdate;
  if (delivery.has("archived_channels")) return [delivery.with(fields)];
  if (fields.property !== "is_archived") return archived ? [] : [delivery.with(fields)];
  const { stream_id } = fields;
  if (fields.value === true)
    return [delivery.with({ stream_ids: [stream_id], streams: [{ stream_id }] }, "delete")];
  return channel ? [delivery.with({ streams: [channel] }, "create")] : [];
};
