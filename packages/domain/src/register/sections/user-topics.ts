import { inSlices } from "@carillon/kit";
import type { Section } from "../context/section.ts";
import { loadTopicPolicies } from "../context/topic-policies.ts";

/** What the account wants of single topics, spelled as in `user_topic` events. */
export const userTopics: Section = {
  names: ["user_topic"],
  async load(context) {
    const policies = await loadTopicPolicies(context);
    return {
      user_topics: await inSlices(policies, (each) => ({
        stream_id: each.channelId,
        topic_name: each.topic,
        visibility_policy: each.policy,
        last_updated: each.lastUpdated,
      })),
    };
  },
};
