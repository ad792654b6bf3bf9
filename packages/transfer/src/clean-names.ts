/** Characters that names must not have: control characters, surrogates, noncharacters and invisible characters. */
const unusable =
  /[\p{Cc}\p{Cs}\p{Cf}\p{Noncharacter_Code_Point}\u2028\u2029\u115f\u1160\u3164\uffa0\u2800]/gu;

/** Cuts a text to at most `most` code points. The last one is `…` if the text was cut. */
export function cut(text: string, most: number): string {
  const points = Array.from(text);
  return points.length <= most
    ? text
    : `${points
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}

/** Returns the text on one line, with single spaces and without control and invisible characters. */
export function cleanLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").replaceAll(unusable, "").trim();
}

/** Removes what the full name of an account must not contain. Returns the fallback if nothing remains. */
export function cleanFullName(text: string, fallback: string): string {
  const name = cleanLine(text)
    .replaceAll(/[*`\\>"@|]/g, "")
    .trim();
  const reserved =
    /^(?:all|everyone|channel|stream|topic|(?:notification|scheduling|welcome) bot)$/i;
  if (name === "") return fallback;
  return cut(reserved.test(name) ? `${name} (imported)` : name, 100);
}

/** Makes names unique, ignoring case. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** The numbers to try next, so that thousands of equal names take no longer than different ones. */
  readonly #next = new Map<string, number>();
  readonly #most: number;

  /** @param most maximum code points of a name */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the name, or if it is taken, the name with the first number that makes it unique. */
  take(name: string): string {
    let candidate = cut(name, this.#most);
    const key = candidate.toLowerCase();
    let number = this.#next.get(key) ?? 2;
    for (; this.#taken.has(candidate.toLowerCase()); number++) {
      const suffix = ` (${number})`;
      candidate = cut(name, this.#most - suffix.length) + suffix;
    }
    if (number > 2) this.#next.set(key, number);
    this.#taken.add(candidate.toLowerCase());
    return candidate;
  }
}
