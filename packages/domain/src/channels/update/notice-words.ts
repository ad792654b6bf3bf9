import type { Channel } from "@carillon/model";
import type { TopicsPolicy } from "@carillon/contract";
import { emphasised, type NoticePart, quoted, told } from "@carillon/markdown";

import type { Privacy } from "./privacy.ts";

/** What notices call what a channel is or has been. */
export const words = {
  privacy({ inviteOnly, isWebPublic, historyPublicToSubscribers }: Privacy): NoticePart {
    if (isWebPublic) return told("web-public");
    if (!inviteOnly) return told("public");
    return told(`private with ${historyPublicToSubscribers ? "shared" : "protected"} history`);
  },
  retention({ messageRetentionDays: days }: Pick<Channel, "messageRetentionDays">): NoticePart {
    if (days === null) return told("what the organization says");
    if (days < 0) return told("for ever");
    return told(days === 1 ? "1 day" : `${days} days`);
  },
  topics({ topicsPolicy }: Pick<Channel, "topicsPolicy">): NoticePart {
    return told(ofTopics[topicsPolicy as TopicsPolicy]);
  },
  description({ description }: Pick<Channel, "description">): NoticePart {
    return description === "" ? told("none") : quoted(description);
  },
  name({ name }: Pick<Channel, "name">): NoticePart {
    return emphasised(name);
  },
};

const ofTopics: Readonly<Record<TopicsPolicy, string>> = {
  inherit: "what the organization says",
  allow_empty_topic: "optional",
  disable_empty_topic: "required",
  empty_topic_only: "none",
};
