/** Which events of an integration are sent (bot-platform.md §1.1). */
export interface EventFilter {
  /** Patterns; undefined for all events. */
  readonly only: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
}

/** Returns whether messages about the event are sent. A message without an event has the name `""`. */
export function admits({ only, exclude }: EventFilter, event: string): boolean {
  const isNamed = (pattern: string) => matches(pattern, event);
  return (only === undefined || only.some(isNamed)) && exclude?.some(isNamed) !== true;
}

/**
 * Matches a text against a pattern in which `*` stands for any characters and `?` for one. Takes at most
 * pattern × text steps: after a mismatch only the last `*` takes more, where a regular expression may try all.
 */
export function matches(pattern: string, text: string): boolean {
  let [at, next, star, taken] = [0, 0, -1, 0];
  while (at < text.length) {
    const character = pattern[next];
    if (character === "*") {
      star = next++;
      taken = at;
    } else if (character === "?" || character === text[at]) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++taken;
    } else return false;
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}
