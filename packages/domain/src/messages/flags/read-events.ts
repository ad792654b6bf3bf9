import type { NewEvent } from "@carillon/contract";

import { flagAddition } from "./flag-events.ts";

/** Messages that an account has read by now. */
export interface ReadByNow {
  readonly userId: number;
  /** Ascending. */
  readonly ids: readonly number[];
}

/** One event for all who have read the same. */
export function readEvents(read: readonly ReadByNow[]): NewEvent[] {
  const alike = new Map<string, { ids: readonly number[]; userIds: number[] }>();
  for (const { userId, ids } of read) {
    const same = alike.get(ids.join(","));
    if (same) same.userIds.push(userId);
    else alike.set(ids.join(","), { ids, userIds: [userId] });
  }
  return [...alike.values()].map(({ ids, userIds }) =>
    flagAddition(
      "read",
      [...ids],
      userIds.toSorted((a, b) => a - b),
    ),
  );
}
