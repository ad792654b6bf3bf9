import { emptyLookups } from "./lookups.ts";
import { findUrls } from "./links/find-urls.ts";
import type { Linkifiers } from "./linkifiers/linkifiers.ts";

/** A link of a topic, as clients get it. */
export interface TopicLink {
  readonly text: string;
  readonly url: string;
}

/** What is read for all linkifiers in a topic, of which one answer may have thousands: at most about a millisecond. */
const mostWork = 60_000;

/** Topics are few and come again and again; so many of each organization are kept. */
const mostKept = 2_000;
const known = new WeakMap<Linkifiers, Map<string, TopicLink[]>>();

/**
 * The bare URLs of a topic, and what the organization's linkifiers match outside of them, in order (messages.md §1.4);
 * a bare domain is reached by `https://`.
 */
export function topicLinks(topic: string, linkifiers = emptyLookups.linkifiers): TopicLink[] {
  const kept = known.get(linkifiers) ?? new Map<string, TopicLink[]>();
  known.set(linkifiers, kept);
  let links = kept.get(topic);
  if (!links) {
    if (kept.size >= mostKept) kept.clear();
    links = findLinks(topic, linkifiers);
    kept.set(topic, links);
  }
  return links.map((link) => ({ ...link }));
}

function findLinks(topic: string, linkifiers: Linkifiers): TopicLink[] {
  const urls = findUrls(topic).filter(({ kind }) => kind !== "email");
  const matches = linkifiers.matchingIn([topic], mostWork).find(topic, urls);
  return [...urls, ...matches]
    .sort((a, b) => a.start - b.start)
    .map((link) => {
      const text = topic.slice(link.start, link.end);
      const isDomain = "kind" in link && link.kind === "domain";
      return { text, url: isDomain ? `https://${text}` : link.href };
    });
}
