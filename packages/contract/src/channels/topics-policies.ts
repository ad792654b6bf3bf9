/** Which topics a channel may have; `inherit`: what the organization says (channels.md §1). */
export const topicsPolicies = [
  "inherit",
  "allow_empty_topic",
  "disable_empty_topic",
  "empty_topic_only",
] as const;

export type TopicsPolicy = (typeof topicsPolicies)[number];
