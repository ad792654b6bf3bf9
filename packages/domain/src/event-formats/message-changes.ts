import type { flagRemoved, messageUpdated, messagesDeleted } from "@carillon/contract";
import type { Format } from "./outgoing-event.ts";

/** `update_message`: with the receiver's flags; topics of channel messages as the client knows them. */
export const formatMessageUpdate: Format<typeof messageUpdated> = (outgoing) => {
  const { fields } = outgoing;
  const { subject, orig_subject } = fields;
  return [
    outgoing.tell({
      ...fields,
      ...(subject === undefined ? {} : { subject: outgoing.topic(subject) }),
      ...(orig_subject === undefined ? {} : { orig_subject: outgoing.topic(orig_subject) }),
    }),
  ];
};

/**
 * `delete_message`: one event with `message_ids`, as it lies in the log, or one for each message. Of archived channels
 * too, for clients that do not have these: they still have the messages, among the starred ones, and unread once the
 * channel returns.
 */
export const formatDeletion: Format<typeof messagesDeleted> = (outgoing) => {
  const { message_ids, topic, ...rest } = outgoing.fields;
  const fields = topic === undefined ? rest : { ...rest, topic: outgoing.topic(topic) };
  if (outgoing.has("bulk_message_deletion")) return [outgoing.tell({ message_ids, ...fields })];
  return message_ids.map((message_id) =>
    outgoing.tellOlder("bulk_message_deletion", { message_id, ...fields }),
  );
};

/** `update_message_flags/remove`: topics in the details of messages that became unread, as the client knows them. */
export const formatFlagRemoval: Format<typeof flagRemoved> = (outgoing) => {
  const { fields } = outgoing;
  if (!fields.message_details) return [outgoing.tell(fields)];
  const message_details = Object.fromEntries(
    Object.entries(fields.message_details).map(([id, detail]) => {
      const { topic } = detail;
      return [id, topic === undefined ? detail : { ...detail, topic: outgoing.topic(topic) }];
    }),
  );
  return [outgoing.tell({ ...fields, message_details })];
};
