/** Returns where a place in a text is after a change, which lies between what both texts begin and end with. */
export function movedPlace(place: number, before: string, after: string): number {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  if (place <= start) return place;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  // Within what was replaced, the place is at the end of what replaces it.
  return after.length - Math.min(end, before.length - place);
}
