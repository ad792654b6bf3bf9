import type { Formatter } from "./delivery.ts";

/**
 * `update_message`: with the receiver's flags; topics of channel messages as the client knows them. The log keeps the
 * fields of the wire, `flags` for those who have none of their own in `userData`.
 */
export const formatMessageUpdate: Formatter = (delivery) => [
  delivery.with(delivery.withTopics(delivery.fields(), "subject", "orig_subject")),
];

interface LoggedDeletion {
  readonly message_ids: readonly number[];
  /** `message_type`; of channel messages `stream_id` and `topic`. */
  readonly [field: string]: unknown;
}

/**
 * `delete_message`: one event with `message_ids`, as it lies in the log, or one for each message. The log keeps at most
 * 1,000 messages in an event: a queue has no more ids for one (events.md §6).
 */
export const formatDeletion: Formatter = (delivery) => {
  const { message_ids, ...rest } = delivery.event.payload as unknown as LoggedDeletion;
  const fields = delivery.withTopics(rest, "topic");
  if (delivery.has("bulk_message_deletion")) return [delivery.with({ message_ids, ...fields })];
  return message_ids.map((message_id) => delivery.with({ message_id, ...fields }));
};

type Details = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** `update_message_flags`: topics in the details of messages that became unread, as the client knows them. */
export const formatFlags: Formatter = (delivery) => {
  const fields = delivery.fields();
  const details = fields["message_details"] as Details | undefined;
  if (!details) return [delivery.with(fields)];
  const message_details = Object.fromEntries(
    Object.entries(details).map(([id, detail]) => [id, delivery.withTopics(detail, "topic")]),
  );
  return [delivery.with({ ...fields, message_details })];
};
