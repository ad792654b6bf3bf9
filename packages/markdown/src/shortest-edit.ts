/** One step of an edit script. */
export interface Step {
  readonly kind: "kept" | "deleted" | "inserted";
  readonly text: string;
}

/** Limit of differences: each one costs a pass over all earlier ones. */
const maxDifferences = 400;

/**
 * Returns the shortest edit script from `before` to `after`, deletions first (E. W. Myers, "An O(ND) Difference Algorithm",
 * 1986). Beyond {@link maxDifferences} differences, everything between the common beginning and end counts as replaced, so
 * that the time stays linear.
 */
export function shortestEdit(before: readonly string[], after: readonly string[]): Step[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  return [
    ...before.slice(0, start).map(kept),
    ...(middle(old, now) ?? [...old.map(deleted), ...now.map(inserted)]),
    ...before.slice(before.length - end).map(kept),
  ];
}

const kept = (text: string): Step => ({ kind: "kept", text });
const deleted = (text: string): Step => ({ kind: "deleted", text });
const inserted = (text: string): Step => ({ kind: "inserted", text });

/** Furthest index into `old` on each diagonal, from -differences on. */
type Reach = Int32Array;

function middle(old: readonly string[], now: readonly string[]): Step[] | undefined {
  const reached: Reach[] = [];
  for (let differences = 0; differences <= maxDifferences; differences++) {
    const reach = new Int32Array(2 * differences + 1);
    reached.push(reach);
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let x = begin(reached, differences, diagonal);
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      reach[diagonal + differences] = x;
      if (x >= old.length && x - diagonal >= now.length) return walkBack(reached, old, now);
    }
  }
  return undefined;
}

/** Whether the best path to a diagonal comes by an insertion rather than a deletion. */
function comesByInsertion(previous: Reach, differences: number, diagonal: number): boolean {
  if (diagonal === -differences) return true;
  if (diagonal === differences) return false;
  return at(previous, differences - 1, diagonal - 1) < at(previous, differences - 1, diagonal + 1);
}

/** Returns where a path with `differences` differences enters the diagonal. */
function begin(reached: readonly Reach[], differences: number, diagonal: number): number {
  const previous = reached[differences - 1];
  if (!previous) return 0;
  return comesByInsertion(previous, differences, diagonal)
    ? at(previous, differences - 1, diagonal + 1)
    : at(previous, differences - 1, diagonal - 1) + 1;
}

function at(reach: Reach, differences: number, diagonal: number): number {
  return reach[diagonal + differences] ?? 0;
}

function walkBack(
  reached: readonly Reach[],
  old: readonly string[],
  now: readonly string[],
): Step[] {
  const steps: Step[] = [];
  let x = old.length;
  let diagonal = old.length - now.length;
  for (let differences = reached.length - 1; differences >= 0; differences--) {
    for (const from = begin(reached, differences, diagonal); x > from; x--)
      steps.push(kept(old[x - 1] ?? ""));
    const previous = reached[differences - 1];
    if (!previous) break;
    if (comesByInsertion(previous, differences, diagonal)) {
      steps.push(inserted(now[x - diagonal - 1] ?? ""));
      diagonal += 1;
    } else {
      steps.push(deleted(old[x - 1] ?? ""));
      x -= 1;
      diagonal -= 1;
    }
  }
  return steps.toReversed();
}
