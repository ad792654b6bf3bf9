import { findEmoticons } from "../emoji/emoticons.ts";
import { findUrls } from "../links/find-urls.ts";
import type { LinkifierMatch } from "../linkifiers/linkifiers.ts";

/** Markup without a special first character. */
export type Mark =
  | { readonly kind: "url"; readonly start: number; readonly end: number; readonly href: string }
  | {
      readonly kind: "emoticon";
      readonly start: number;
      readonly end: number;
      readonly name: string;
    };

const NONE: readonly Mark[] = [];

/** Finds URLs, domains and addresses of `source`, and emoticons if wanted, by ascending start. */
export function findMarks(source: string, emoticons: boolean): readonly Mark[] {
  const urls = findUrls(source);
  const faces = emoticons ? findEmoticons(source) : [];
  if (urls.length === 0 && faces.length === 0) return NONE;
  const marks: Mark[] = [
    ...urls.map(({ start, end, href }) => ({ kind: "url" as const, start, end, href })),
    ...faces.map(({ start, end, name }) => ({ kind: "emoticon" as const, start, end, name })),
  ];
  return marks.sort((a, b) => a.start - b.start);
}

/** Merges the matches of linkifiers into `marks`; they win over emoticons. */
export function withLinks(
  marks: readonly Mark[],
  links: readonly LinkifierMatch[],
): readonly Mark[] {
  if (links.length === 0) return marks;
  const added = links.map((link) => ({ kind: "url" as const, ...link }));
  return [...added, ...marks].sort((a, b) => a.start - b.start);
}
