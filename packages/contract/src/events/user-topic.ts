import * as z from "zod";
import { emptyTopicIsNamed } from "./empty-topic.ts";
import { event } from "../primitives/event.ts";

export const topicPolicyChanged = event({
  type: "user_topic",
  about: "The account follows, mutes or unmutes a topic; policy 0 resets it.",
  to: "some",
  receivers: "the account",
  fields: {
    stream_id: z.int(),
    topic_name: z.string(),
    visibility_policy: z.int(),
    /** UNIX seconds */
    last_updated: z.int(),
  },
  older: emptyTopicIsNamed("topic_name"),
});
