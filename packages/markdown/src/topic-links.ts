import { emptyLookups } from "./lookups.ts";
import { findUrls } from "./links/find-urls.ts";
import type { Linkifiers } from "./linkifiers/linkifiers.ts";

/** A link of a topic, as sent to clients. */
export interface TopicLink {
  readonly text: string;
  readonly url: string;
}

/** Budget of linkifiers for a topic, about a millisecond; one answer may have thousands of topics. */
const maxWork = 60_000;

/** Cached topics of each organization. */
const maxKept = 2_000;
const known = new WeakMap<Linkifiers, Map<string, TopicLink[]>>();

/**
 * Finds the bare URLs of a topic, and the matches of linkifiers outside them, in order (messages.md §1.4). A bare domain
 * gets `https://`.
 */
export function topicLinks(topic: string, linkifiers = emptyLookups.linkifiers): TopicLink[] {
  const kept = known.get(linkifiers) ?? new Map<string, TopicLink[]>();
  known.set(linkifiers, kept);
  let links = kept.get(topic);
  if (!links) {
    if (kept.size >= maxKept) kept.clear();
    links = findLinks(topic, linkifiers);
    kept.set(topic, links);
  }
  return links.map((link) => ({ ...link }));
}

function findLinks(topic: string, linkifiers: Linkifiers): TopicLink[] {
  const urls = findUrls(topic).filter(({ kind }) => kind !== "email");
  const matches = linkifiers.matchingIn([topic], maxWork).find(topic, urls);
  return [...urls, ...matches]
    .sort((a, b) => a.start - b.start)
    .map((link) => {
      const text = topic.slice(link.start, link.end);
      const isDomain = "kind" in link && link.kind === "domain";
      return { text, url: isDomain ? `https://${text}` : link.href };
    });
}
