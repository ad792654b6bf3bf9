import { cutTo } from "@carillon/kit";

import { maxTopicLength } from "./topic.ts";

/** What the topics begin with that are resolved: U+2714 and a space. */
export const resolvedPrefix = "\u2714 ";

/** Whether one of the topics is the other, resolved: as long as a topic may be. */
export function isResolveToggle(one: string, other: string): boolean {
  return isResolved(one, other) || isResolved(other, one);
}

function isResolved(topic: string, bare: string): boolean {
  return (
    !bare.startsWith(resolvedPrefix) &&
    topic === cutTo(resolvedPrefix + bare, maxTopicLength, "...")
  );
}
