import type { Matcher, RE2JS } from "re2js";
import { linkTarget } from "../links/target.ts";
import { wellFormed } from "../links/slug.ts";
import { compilePattern, plainBeginning } from "./pattern.ts";
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

/** A match has at most so many UTF-16 units: without a bound, each would look at all of the rest of the text. */
const LONGEST = 250;
const WINDOW = 2 * LONGEST;

/** So many matches are looked at in one text; what follows is no link. */
const MOST_LOOKS = 300;

/**
 * What is read for all linkifiers in one text, in UTF-16 units times instructions of a pattern, up to 15 ns each whatever
 * the pattern is: to know which of them match, and to find their matches. Where nothing is left, nothing matches.
 */
const MOST_WORK = 1_000_000;
const MOST_WORK_OF_MATCHES = 1_500_000;

/** What beginning to read takes, however little there is to read. */
const BEGINNING = 100;

interface Compiled {
  readonly regex: RE2JS;
  /** Instructions. */
  readonly size: number;
  /** Every match begins so. */
  readonly beginning: string;
  readonly urlTemplate: string;
}

/** The linkifiers of an organization, in their order. Making them compiles the patterns: keep them. */
export class Linkifiers {
  readonly #compiled: readonly Compiled[];

  /** Those with an invalid pattern are left out. */
  constructor(linkifiers: Iterable<Linkifier>) {
    this.#compiled = [...linkifiers].flatMap(({ pattern, urlTemplate }) => {
      const regex = compilePattern(pattern);
      if (regex === undefined) return [];
      const [size, beginning] = [regex.programSize(), plainBeginning(pattern)];
      return [{ regex, size, beginning, urlTemplate }];
    });
  }

  /** Those that match anywhere in the parts of one text. Reads them once for each. */
  matchingIn(parts: readonly string[], mostWork = MOST_WORK): TextLinkifiers {
    const work = { left: mostWork };
    const matching = this.#compiled.filter((compiled) =>
      parts.some(
        (part) =>
          part.includes(compiled.beginning) &&
          spend(work, compiled, part.length) &&
          compiled.regex.matcher(padded(part)).find(),
      ),
    );
    return new TextLinkifiers(matching);
  }
}

/** How much may still be read. */
interface Work {
  left: number;
}

/** Whether there is enough left to read so much with a pattern; then it is less. */
function spend(work: Work, { size }: Compiled, length: number): boolean {
  const units = BEGINNING + size * length;
  if (units > work.left) return false;
  work.left -= units;
  return true;
}

/** The linkifiers of one text, which is looked at within bounds. */
export class TextLinkifiers {
  readonly #compiled: readonly Compiled[];
  readonly #work: Work = { left: MOST_WORK_OF_MATCHES };
  #looks = MOST_LOOKS;

  constructor(compiled: readonly Compiled[]) {
    this.#compiled = compiled;
  }

  get any(): boolean {
    return this.#compiled.length > 0;
  }

  /**
   * The matches in a part of the text, ascending; where two overlap, the linkifier that comes first has it.
   * @param taken ranges that belong to other markup
   */
  find(
    source: string,
    taken: readonly { readonly start: number; readonly end: number }[],
  ): LinkifierMatch[] {
    const free = new Uint8Array(source.length).fill(1);
    for (const { start, end } of taken) free.fill(0, start, end);
    const found: LinkifierMatch[] = [];
    for (const compiled of this.#compiled) {
      if (!source.includes(compiled.beginning)) continue;
      for (const { start, end, groups } of this.#matches(compiled, source, free)) {
        const href = linkTarget(expandUrl(compiled.urlTemplate, groups));
        if (href === undefined) continue;
        free.fill(0, start, end);
        found.push({ start, end, href });
      }
    }
    return found.sort((a, b) => a.start - b.start);
  }

  *#matches(
    compiled: Compiled,
    source: string,
    free: Uint8Array,
  ): Generator<Match, void, undefined> {
    const text = padded(source);
    let window = WINDOW;
    for (let from = 0; from < text.length && this.#looks > 0;) {
      const part = text.slice(from, from + window);
      window = WINDOW;
      if (!spend(this.#work, compiled, part.length)) return;
      const matcher = compiled.regex.matcher(part);
      if (!matcher.find()) {
        from += LONGEST;
        continue;
      }
      if (matcher.start() > 0) {
        // Looked at from its own beginning, it is as long as it can be.
        from += matcher.start();
        window = LONGEST + 2;
        continue;
      }
      this.#looks--;
      const start = from + matcher.start(1) - 1;
      const end = from + matcher.end(1) - 1;
      const lastTaken = free.subarray(start, end).lastIndexOf(0);
      if (end === start || end - start > LONGEST || lastTaken >= 0) {
        from += 1 + Math.max(0, start + lastTaken - from);
        continue;
      }
      yield { start, end, groups: groupsOf(compiled.regex, matcher) };
      from = end + 1;
    }
  }
}

interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: Readonly<Record<string, string>>;
}

function groupsOf(regex: RE2JS, matcher: Matcher): Record<string, string> {
  const groups: Record<string, string> = {};
  for (const name of Object.keys(regex.namedGroups())) {
    const value = matcher.group(name);
    if (value !== null) groups[name] = wellFormed(value);
  }
  return groups;
}

/** So that something stands before the first and after the last character. */
function padded(source: string): string {
  return `\n${source}\n`;
}
