/**
 * Returns the new offset of a place in a text that was changed. The change is what lies between the common beginning and the
 * common end of both texts.
 */
export function movedPlace(place: number, before: string, after: string): number {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  if (place <= start) return place;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  // A place inside the replaced part moves to the end of the replacement.
  return after.length - Math.min(end, before.length - place);
}
