import { largestAnchor } from "./anchor.ts";
import type { Side } from "./window-statement.ts";

/** How much of the matching messages is asked for, around the message ID `anchor`. */
export interface Window {
  readonly anchor: number;
  readonly numBefore: number;
  readonly numAfter: number;
  readonly includeAnchor: boolean;
}

/** Which of the matching messages are in the window, ascending, and whether it reaches the ends (messages.md §1.2). */
export interface FoundWindow {
  readonly ids: readonly number[];
  readonly foundAnchor: boolean;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

/** The sides that have to be looked for. The anchor's own message is the first on the side after it. */
export function sidesOf(window: Window): Side[] {
  const { anchor: bound, numBefore, numAfter, includeAnchor } = window;
  const sides: Side[] = [];
  if (numBefore > 0 && bound > 0) sides.push({ compare: "<", bound, limit: numBefore });
  if (bound >= largestAnchor) return sides;
  if (includeAnchor && bound > 0) sides.push({ compare: ">=", bound, limit: numAfter + 1 });
  else if (numAfter > 0) sides.push({ compare: ">", bound, limit: numAfter });
  return sides;
}

/** @param ids what was found on the sides, in any order */
export function foundIn(window: Window, ids: readonly number[]): FoundWindow {
  const { anchor, numBefore, numAfter } = window;
  const sorted = ids.toSorted((a, b) => a - b);
  const before = sorted.filter((id) => id < anchor);
  const foundAnchor = sorted[before.length] === anchor;
  // Where no message has the anchor's ID, one more than asked for was found after it.
  const after = sorted.slice(before.length + (foundAnchor ? 1 : 0)).slice(0, numAfter);
  return {
    ids: [...before, ...(foundAnchor ? [anchor] : []), ...after],
    foundAnchor,
    foundOldest: anchor === 0 || before.length < numBefore,
    foundNewest: anchor >= largestAnchor || after.length < numAfter,
  };
}
