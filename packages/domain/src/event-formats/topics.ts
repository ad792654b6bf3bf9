import type { Formatter } from "./delivery.ts";

/** `typing`: in channels only for clients that want to know; in direct messages for all. */
export const formatTyping: Formatter = (delivery) => {
  const fields = delivery.fields();
  if (fields["message_type"] !== "stream") return [delivery.with(fields)];
  if (!delivery.has("stream_typing_notifications")) return [];
  return [delivery.with(delivery.withTopics(fields, "topic"))];
};

/** `user_topic`: the topic as the client knows it. */
export const formatUserTopic: Formatter = (delivery) => [
  delivery.with(delivery.withTopics(delivery.fields(), "topic_name")),
];
