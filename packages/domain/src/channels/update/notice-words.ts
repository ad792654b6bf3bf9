import type { Channel } from "@carillon/model";
import type { TopicsPolicy } from "@carillon/contract";
import { emphasised, type NoticePart, quoted, told } from "@carillon/markdown";

import type { NextChannel } from "./next-channel.ts";

/** What notices call what a channel is, or has been. */
type Words = (channel: Channel | NextChannel) => NoticePart;

export const privacyOf: Words = ({ inviteOnly, isWebPublic, historyPublicToSubscribers }) => {
  if (isWebPublic) return told("web-public");
  if (!inviteOnly) return told("public");
  return told(`private with ${historyPublicToSubscribers ? "shared" : "protected"} history`);
};

export const retentionOf: Words = ({ messageRetentionDays: days }) => {
  if (days === null) return told("what the organization says");
  if (days < 0) return told("for ever");
  return told(days === 1 ? "1 day" : `${days} days`);
};

const topicsPolicies: Readonly<Record<TopicsPolicy, string>> = {
  inherit: "what the organization says",
  allow_empty_topic: "optional",
  disable_empty_topic: "required",
  empty_topic_only: "none",
};

export const topicsOf: Words = ({ topicsPolicy }) =>
  told(topicsPolicies[topicsPolicy as TopicsPolicy]);

export const descriptionOf: Words = ({ description }) =>
  description === "" ? told("none") : quoted(description);

export const nameOf: Words = ({ name }) => emphasised(name);
