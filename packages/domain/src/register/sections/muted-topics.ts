import { visibilityPolicy } from "@carillon/model";
import type { Section } from "../context/section.ts";
import { loadTopicPolicies } from "../context/topic-policies.ts";

/** The muted topics as older clients know them; one that names `user_topic` gets them there. */
export const mutedTopics: Section = {
  names: ["muted_topics"],
  async load(context) {
    if (context.named?.has("user_topic")) return {};
    const policies = await loadTopicPolicies(context);
    return {
      muted_topics: policies
        .filter(({ policy }) => policy === visibilityPolicy.muted)
        .map(({ channelName, topic, lastUpdated }) => [channelName, topic, lastUpdated]),
    };
  },
};
