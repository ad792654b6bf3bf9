import { findUrls } from "./links/find-urls.ts";

/** The bare URLs of a topic in order (messages.md §1.4); a bare domain is reached by `https://`. */
export function topicLinks(topic: string): { text: string; url: string }[] {
  return findUrls(topic)
    .filter(({ kind }) => kind !== "email")
    .map(({ start, end, kind, href }) => {
      const text = topic.slice(start, end);
      return { text, url: kind === "domain" ? `https://${text}` : href };
    });
}
