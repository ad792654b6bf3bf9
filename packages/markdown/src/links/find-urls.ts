import { LinkifyIt, type Match } from "linkify-it";
import { fileEndings, genericDomains } from "./top-level-domains.ts";

/** A URL, domain or e-mail address in a text. */
export interface FoundUrl {
  readonly start: number;
  readonly end: number;
  /** With a scheme: `http://` is added to a bare domain, `mailto:` to an address. */
  readonly href: string;
  readonly kind: "url" | "domain" | "email";
}

/** Longer words are not searched, because the search is not linear. */
const LONGEST_WORD = 4000;

const WORD = /\S+/g;
/** Every URL and address contains one of these; most texts contain none. */
const HINT = /[^\s.]\.[^\s.]|:\/\/|mailto:/i;
const NONE: readonly FoundUrl[] = [];

const linkify = new LinkifyIt({ fuzzyLink: true, maxLength: LONGEST_WORD })
  .add("//", null)
  .tlds([...genericDomains], true);

/** Finds the URLs, bare domains and e-mail addresses of `source`, ascending. */
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

/** Returns the link target if the whole `text` is a URL, a domain or an e-mail address. */
export function wholeUrl(text: string): string | undefined {
  const [first] = findUrls(text);
  return first?.start === 0 && first.end === text.length ? first.href : undefined;
}

/** Tries the whole word first, which is cheaper than searching in it. */
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

/** Returns the length of leading markup that the link finder mistakes for part of an e-mail address. */
function markupBefore(raw: string): number {
  const at = raw.indexOf("@");
  return /.*[`*~]/.exec(raw.slice(0, at))?.[0].length ?? 0;
}

/** Removes trailing markup and punctuation; a `)` with its `(` inside stays. */
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

/** Returns the positions after each `)` that balances all preceding `(`. */
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
