/** Lengths and cuts in Unicode code points: a cut never splits a surrogate pair. */

/** Returns the number of code points in `text`. */
export function codePointLength(text: string): number {
  // A string never has more code points than UTF-16 units; most have as many.
  let length = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if (isHighSurrogate(text.charCodeAt(i)) && isLowSurrogate(text.charCodeAt(i + 1))) {
      length--;
      i++;
    }
  }
  return length;
}

/** Returns whether `text` has more than `limit` code points. Reads at most `2 * limit` UTF-16 units of it. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  return text.length > 2 * limit || codePointLength(text) > limit;
}

/** Returns the first `count` code points of `text`. */
export function firstCodePoints(text: string, count: number): string {
  let units = 0;
  for (let points = 0; points < count && units < text.length; points++) {
    const pair =
      isHighSurrogate(text.charCodeAt(units)) &&
      units + 1 < text.length &&
      isLowSurrogate(text.charCodeAt(units + 1));
    units += pair ? 2 : 1;
  }
  return text.slice(0, units);
}

/** Returns `text`, shortened to at most `limit` code points with `marker` at its end if it is longer. */
export function cutTo(text: string, limit: number, marker: string): string {
  if (!isLongerThan(text, limit)) return text;
  return firstCodePoints(text, limit - codePointLength(marker)) + marker;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
