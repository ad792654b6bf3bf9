import { LinkifyIt, type Match } from "linkify-it";
import { fileEndings, genericDomains } from "./top-level-domains.ts";

/** A URL, domain or e-mail address in a text. */
export interface FoundUrl {
  readonly start: number;
  readonly end: number;
  /** With a scheme: `http://` before a bare domain, `mailto:` before an address. */
  readonly href: string;
  readonly kind: "url" | "domain" | "email";
}

/** Longer words are not searched: no real address is as long, and the search is not linear. */
const LONGEST_WORD = 4000;

const WORD = /\S+/g;
/** Every URL and address has one of these; most texts have none. */
const HINT = /[^\s.]\.[^\s.]|:\/\/|mailto:/i;
const NONE: readonly FoundUrl[] = [];

const linkify = new LinkifyIt({ fuzzyLink: true, maxLength: LONGEST_WORD })
  .add("//", null)
  .tlds([...genericDomains], true);

/** The URLs, bare domains and e-mail addresses of `source`, ascending. */
export function findUrls(source: string): readonly FoundUrl[] {
  if (!HINT.test(source)) return NONE;
  const found: FoundUrl[] = [];
  for (const { 0: word, index } of source.matchAll(WORD)) {
    if (word.length > LONGEST_WORD || !HINT.test(word)) continue;
    for (const match of matchesIn(word)) {
      const url = toFound(match);
      if (url !== undefined) found.push({ ...url, start: url.start + index, end: url.end + index });
    }
  }
  return found;
}

/** The address to link to when `text` is, as a whole, a URL, a domain or an e-mail address. */
export function wholeUrl(text: string): string | undefined {
  const [first] = findUrls(text);
  return first?.start === 0 && first.end === text.length ? first.href : undefined;
}

/** Most words with an address are one: asking for it at the start is cheaper than searching. */
function matchesIn(word: string): readonly Match[] {
  const first = /^https?:/i.test(word) ? linkify.matchAtStart(word) : null;
  if (first !== null && !HINT.test(word.slice(first.lastIndex))) return [first];
  return linkify.match(word) ?? [];
}

function toFound(match: Match): FoundUrl | undefined {
  const kind = match.schema === "" ? "domain" : match.schema === "mailto:" ? "email" : "url";
  const skipped = kind === "email" ? markupBefore(match.raw) : 0;
  const text = trim(match.raw.slice(skipped));
  if (text === "" || text.startsWith("@")) return undefined;
  const host = /^[^/?#]*/.exec(text)?.[0] ?? "";
  if (kind === "domain" && fileEndings.has(host.slice(host.lastIndexOf(".") + 1).toLowerCase())) {
    return undefined;
  }
  if (kind === "url" && !/^\w+:\/\/[^/]/.test(text)) return undefined;
  const prefix =
    kind === "domain" ? "http://" : kind === "email" && !/^mailto:/i.test(text) ? "mailto:" : "";
  const start = match.index + skipped;
  return { start, end: start + text.length, href: prefix + text, kind };
}

/** Length of the markup that the link finder takes for the beginning of an e-mail address. */
function markupBefore(raw: string): number {
  const at = raw.indexOf("@");
  return /.*[`*~]/.exec(raw.slice(0, at))?.[0].length ?? 0;
}

/** Cuts markup and sentence punctuation off the end; a `)` that belongs to a `(` inside stays. */
function trim(raw: string): string {
  const markup = raw.search(/`|\*\*|~~|\]\(/);
  let end = markup < 0 ? raw.length : markup;
  let balanced: ReadonlySet<number> | undefined;
  for (; end > 0; end--) {
    const last = raw.charAt(end - 1);
    if (!/[!:;?),.'">*]/.test(last)) break;
    if (last === ")" && (balanced ??= balancedEnds(raw)).has(end)) break;
  }
  return raw.slice(0, end);
}

/** Where every `(` before has its `)`: the positions after such a `)`. */
function balancedEnds(text: string): Set<number> {
  const ends = new Set<number>();
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "(") depth++;
    else if (character === ")") {
      if (--depth < 0) break;
      if (depth === 0) ends.add(at + 1);
    }
  }
  return ends;
}
