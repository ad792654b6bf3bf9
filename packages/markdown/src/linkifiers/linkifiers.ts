import type { Matcher, RE2JS } from "re2js";
import { linkTarget } from "../links/target.ts";
import { wellFormed } from "../links/slug.ts";
import { compilePattern, plainBeginning } from "./pattern.ts";
import { expandUrl } from "./url-template.ts";

/** A linkifier of an organization (rendering.md §3). */
export interface Linkifier {
  /** In the syntax of RE2, which matches in linear time. */
  readonly pattern: string;
  /** Target of a match: a URI template (RFC 6570) with the named groups of the pattern. */
  readonly urlTemplate: string;
}

/** A match with its URL. */
export interface LinkifierMatch {
  readonly start: number;
  readonly end: number;
  readonly href: string;
}

/** Maximum length of a match in UTF-16 units. Without it, each match would scan the rest of the text. */
const LONGEST = 250;
/** UTF-16 units that one search reads. */
const WINDOW = 2 * LONGEST;

/** Maximum matches in one text; later ones are not links. */
const MAX_MATCHES = 300;

/**
 * Budget for deciding which linkifiers match in one text, in UTF-16 units times pattern instructions, at most 15 ns each.
 * When it is used up, no further linkifier matches.
 */
const MOST_WORK = 1_000_000;
/** Budget for finding the matches of one text, in the same unit. */
const MOST_WORK_OF_MATCHES = 1_500_000;

/** Fixed cost of starting a match. */
const BEGINNING = 100;

interface Compiled {
  readonly regex: RE2JS;
  /** Instructions. */
  readonly size: number;
  /** Literal prefix of every match. */
  readonly prefix: string;
  readonly urlTemplate: string;
}

/** The linkifiers of an organization, in order. The constructor compiles the patterns: cache the instance. */
export class Linkifiers {
  readonly #compiled: readonly Compiled[];

  /** Ignores linkifiers with an invalid pattern. */
  constructor(linkifiers: Iterable<Linkifier>) {
    this.#compiled = [...linkifiers].flatMap(({ pattern, urlTemplate }) => {
      const regex = compilePattern(pattern);
      if (regex === undefined) return [];
      const [size, prefix] = [regex.programSize(), plainBeginning(pattern)];
      return [{ regex, size, prefix, urlTemplate }];
    });
  }

  /** Returns the linkifiers that match anywhere in the parts of one text. */
  matchingIn(parts: readonly string[], budget = MOST_WORK): TextLinkifiers {
    const work = { left: budget };
    const matching = this.#compiled.filter((compiled) =>
      parts.some(
        (part) =>
          part.includes(compiled.prefix) &&
          spend(work, compiled, part.length) &&
          compiled.regex.matcher(padded(part)).find(),
      ),
    );
    return new TextLinkifiers(matching);
  }
}

/** Remaining budget. */
interface Work {
  left: number;
}

/** Takes the cost of matching `length` units from the budget; false if it does not suffice. */
function spend(work: Work, { size }: Compiled, length: number): boolean {
  const units = BEGINNING + size * length;
  if (units > work.left) return false;
  work.left -= units;
  return true;
}

/** The linkifiers of one text, with its budget. */
export class TextLinkifiers {
  readonly #compiled: readonly Compiled[];
  readonly #work: Work = { left: MOST_WORK_OF_MATCHES };
  #matchesLeft = MAX_MATCHES;

  constructor(compiled: readonly Compiled[]) {
    this.#compiled = compiled;
  }

  get any(): boolean {
    return this.#compiled.length > 0;
  }

  /**
   * Finds the matches in a part of the text, ascending. Where matches overlap, the earlier linkifier wins.
   * @param taken ranges of other markup, in which nothing matches
   */
  find(
    source: string,
    taken: readonly { readonly start: number; readonly end: number }[],
  ): LinkifierMatch[] {
    const free = new Uint8Array(source.length).fill(1);
    for (const { start, end } of taken) free.fill(0, start, end);
    const found: LinkifierMatch[] = [];
    for (const compiled of this.#compiled) {
      if (!source.includes(compiled.prefix)) continue;
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
    for (let from = 0; from < text.length && this.#matchesLeft > 0;) {
      const part = text.slice(from, from + window);
      window = WINDOW;
      if (!spend(this.#work, compiled, part.length)) return;
      const matcher = compiled.regex.matcher(part);
      if (!matcher.find()) {
        from += LONGEST;
        continue;
      }
      if (matcher.start() > 0) {
        // Matching again from its start yields its full length.
        from += matcher.start();
        window = LONGEST + 2;
        continue;
      }
      this.#matchesLeft--;
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

/** Adds a separator before the first and after the last character. */
function padded(source: string): string {
  return `\n${source}\n`;
}
