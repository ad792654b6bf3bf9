import type {
  editingStarted,
  editingStopped,
  topicPolicyChanged,
  typingStarted,
  typingStopped,
} from "@carillon/contract";
import type { Format } from "./delivery.ts";

/** `typing`: in channels only for clients that want to know; in direct messages for all. */
export const formatTyping: Format<typeof typingStarted | typeof typingStopped> = (delivery) => {
  const { fields } = delivery;
  if (fields.message_type !== "stream") return [delivery.tell(fields)];
  if (!delivery.has("stream_typing_notifications")) return [];
  return [delivery.tell({ ...fields, topic: delivery.topic(fields.topic) })];
};

/** `typing_edit_message`: the topic as the client knows it. */
export const formatEditing: Format<typeof editingStarted | typeof editingStopped> = (delivery) => {
  const { fields } = delivery;
  const { recipient } = fields;
  if (recipient.type !== "channel") return [delivery.tell(fields)];
  const topic = delivery.topic(recipient.topic);
  return [delivery.tell({ ...fields, recipient: { ...recipient, topic } })];
};

/** `user_topic`: the topic as the client knows it. */
export const formatUserTopic: Format<typeof topicPolicyChanged> = (delivery) => {
  const { fields } = delivery;
  return [delivery.tell({ ...fields, topic_name: delivery.topic(fields.topic_name) })];
};
