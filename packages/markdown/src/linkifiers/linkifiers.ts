import { RE2JS } from "re2js";
import { linkTarget } from "../links/target.ts";
import { wellFormed } from "../links/slug.ts";
import { expandUrl } from "./url-template.ts";

/** What an organization makes a link of (rendering.md §3). */
export interface Linkifier {
  /** In the syntax of RE2, which reads any text in time that grows with it. */
  readonly pattern: string;
  /** Where a match leads: a URI template (RFC 6570) with the named groups of the pattern. */
  readonly urlTemplate: string;
}

/** A match, and the address that it leads to. */
export interface LinkifierMatch {
  readonly start: number;
  readonly end: number;
  readonly href: string;
}

/** How many matches in one text may still be looked at. */
export interface Looks {
  left: number;
}

/** A match has at most so many UTF-16 units: without a bound, each would look at all of the rest of the text. */
const LONGEST = 250;
const WINDOW = 2 * LONGEST;

/** So many matches are looked at in one text, at up to 70 µs each; what follows is no link. */
const MOST_LOOKS = 300;

/** The linkifiers of an organization, in their order. Making them compiles the patterns: keep them. */
export class Linkifiers {
  readonly #compiled: readonly { readonly regex: RE2JS; readonly urlTemplate: string }[];

  /** Those with an invalid pattern are left out. */
  constructor(linkifiers: Iterable<Linkifier>) {
    this.#compiled = [...linkifiers].flatMap(({ pattern, urlTemplate }) => {
      const regex = compile(pattern);
      return regex === undefined ? [] : [{ regex, urlTemplate }];
    });
  }

  /** Whether any of them matches in `source`: the question to ask before `find`. Reads it once for each. */
  occurIn(source: string): boolean {
    return this.#compiled.some(({ regex }) => regex.matcher(padded(source)).find());
  }

  /** For the pieces of one text, which is looked at within bounds. */
  looks(): Looks {
    return { left: MOST_LOOKS };
  }

  /**
   * The matches in `source`, ascending; where two overlap, the linkifier that comes first has it.
   * @param taken ranges that belong to other markup
   */
  find(
    source: string,
    taken: readonly { readonly start: number; readonly end: number }[],
    looks: Looks,
  ): LinkifierMatch[] {
    const free = new Uint8Array(source.length).fill(1);
    for (const { start, end } of taken) free.fill(0, start, end);
    const found: LinkifierMatch[] = [];
    for (const { regex, urlTemplate } of this.#compiled) {
      for (const { start, end, groups } of matches(regex, source, free, looks)) {
        const href = linkTarget(expandUrl(urlTemplate, groups));
        if (href === undefined) continue;
        free.fill(0, start, end);
        found.push({ start, end, href });
      }
    }
    return found.sort((a, b) => a.start - b.start);
  }
}

interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: Readonly<Record<string, string>>;
}

/** A match stands after white space or one of `' " ( , : <`, and no letter or digit follows it. */
function compile(pattern: string): RE2JS | undefined {
  try {
    RE2JS.compile(pattern);
    return RE2JS.compile(`[\\s\\x{85}\\pZ'"(,:<]((?:${pattern}))[^\\pL\\pN]`);
  } catch {
    return undefined;
  }
}

/** So that something stands before the first and after the last character. */
function padded(source: string): string {
  return `\n${source}\n`;
}

function* matches(
  regex: RE2JS,
  source: string,
  free: Uint8Array,
  looks: Looks,
): Generator<Match, void, undefined> {
  const text = padded(source);
  for (let from = 0; from < text.length && looks.left > 0;) {
    const matcher = regex.matcher(text.slice(from, from + WINDOW));
    if (!matcher.find()) {
      from += LONGEST;
      continue;
    }
    if (matcher.start() > 0) {
      // Looked at from its own beginning, it is as long as it can be.
      from += matcher.start();
      continue;
    }
    looks.left--;
    const start = from + matcher.start(1) - 1;
    const end = from + matcher.end(1) - 1;
    const lastTaken = free.subarray(start, end).lastIndexOf(0);
    if (end === start || end - start > LONGEST || lastTaken >= 0) {
      from += 1 + Math.max(0, start + lastTaken - from);
      continue;
    }
    const groups: Record<string, string> = {};
    for (const name of Object.keys(regex.namedGroups())) {
      const value = matcher.group(name);
      if (value !== null) groups[name] = wellFormed(value);
    }
    yield { start, end, groups };
    from = end + 1;
  }
}
