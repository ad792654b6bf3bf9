import type { GroupSettingValue, TopicsPolicy } from "@carillon/contract";
import { emphasised, type NoticePart, quoted, told } from "@carillon/markdown";

import type { Privacy } from "./privacy.ts";

/** A value of a property or permission, as the audit log has it. */
export type LoggedValue = string | number | boolean | null | GroupSettingValue;

/** What notices call what a channel is, or has been. */
type Words = (value: LoggedValue) => NoticePart;

export function privacyOf({
  inviteOnly,
  isWebPublic,
  historyPublicToSubscribers,
}: Privacy): NoticePart {
  if (isWebPublic) return told("web-public");
  if (!inviteOnly) return told("public");
  return told(`private with ${historyPublicToSubscribers ? "shared" : "protected"} history`);
}

export const retentionOf: Words = (value) => {
  if (value === null) return told("what the organization says");
  const days = Number(value);
  if (days < 0) return told("for ever");
  return told(days === 1 ? "1 day" : `${days} days`);
};

const topicsPolicies: Readonly<Record<TopicsPolicy, string>> = {
  inherit: "what the organization says",
  allow_empty_topic: "optional",
  disable_empty_topic: "required",
  empty_topic_only: "none",
};

export const topicsOf: Words = (policy) => told(topicsPolicies[policy as TopicsPolicy]);

export const descriptionOf: Words = (value) =>
  value === "" ? told("none") : quoted(textOf(value));

export const nameOf: Words = (value) => emphasised(textOf(value));

function textOf(value: LoggedValue): string {
  if (typeof value !== "string") throw new TypeError("a text is not logged as one");
  return value;
}
