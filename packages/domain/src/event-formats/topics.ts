import type {
  editingStarted,
  editingStopped,
  topicPolicyChanged,
  typingStarted,
  typingStopped,
} from "@carillon/contract";
import type { Format } from "./outgoing-event.ts";

/** `typing`: in channels only for clients that want to know; in direct messages for all. */
export const formatTyping: Format<typeof typingStarted | typeof typingStopped> = (outgoing) => {
  const { fields } = outgoing;
  if (fields.message_type !== "stream") return [outgoing.tell(fields)];
  if (!outgoing.has("stream_typing_notifications")) return [];
  return [outgoing.tell({ ...fields, topic: outgoing.topic(fields.topic) })];
};

/** `typing_edit_message`: the topic as the client knows it. */
export const formatEditing: Format<typeof editingStarted | typeof editingStopped> = (outgoing) => {
  const { fields } = outgoing;
  const { recipient } = fields;
  if (recipient.type !== "channel") return [outgoing.tell(fields)];
  const topic = outgoing.topic(recipient.topic);
  return [outgoing.tell({ ...fields, recipient: { ...recipient, topic } })];
};

/** `user_topic`: the topic as the client knows it. */
export const formatUserTopic: Format<typeof topicPolicyChanged> = (outgoing) => {
  const { fields } = outgoing;
  return [outgoing.tell({ ...fields, topic_name: outgoing.topic(fields.topic_name) })];
};
