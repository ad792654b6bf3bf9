import { emptyLookups } from "./lookups.ts";
import { findUrls } from "./links/find-urls.ts";

/**
 * The bare URLs of a topic, and what the organization's linkifiers match outside of them, in order (messages.md §1.4);
 * a bare domain is reached by `https://`.
 */
export function topicLinks(
  topic: string,
  linkifiers = emptyLookups.linkifiers,
): { text: string; url: string }[] {
  const urls = findUrls(topic).filter(({ kind }) => kind !== "email");
  const matches = linkifiers.find(topic, urls, linkifiers.looks());
  return [...urls, ...matches]
    .sort((a, b) => a.start - b.start)
    .map((link) => {
      const text = topic.slice(link.start, link.end);
      const isDomain = "kind" in link && link.kind === "domain";
      return { text, url: isDomain ? `https://${text}` : link.href };
    });
}
