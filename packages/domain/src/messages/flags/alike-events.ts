import type { NewEvent } from "@carillon/contract";

import { flagAddition, flagRemoval } from "./flag-events.ts";

/** Messages of which a flag has changed for an account. */
interface ChangedFor {
  readonly userId: number;
  /** Ascending; nothing is told where there are none. */
  readonly ids: readonly number[];
}

/** That messages are read by now: one event for all who have read the same. */
export function readEvents(read: readonly ChangedFor[]): NewEvent[] {
  return alike(read).map(({ ids, userIds }) => flagAddition("read", ids, userIds));
}

/** That messages have no star any more: one event for all to whom the same happened. */
export function unstarredEvents(unstarred: readonly ChangedFor[]): NewEvent[] {
  return alike(unstarred).map(({ ids, userIds }) => flagRemoval("starred", ids, userIds));
}

function alike(changed: readonly ChangedFor[]): Array<{ ids: number[]; userIds: number[] }> {
  const groups = new Map<string, { ids: number[]; userIds: number[] }>();
  for (const { userId, ids } of changed) {
    if (ids.length === 0) continue;
    const same = groups.get(ids.join(","));
    if (same) same.userIds.push(userId);
    else groups.set(ids.join(","), { ids: [...ids], userIds: [userId] });
  }
  return [...groups.values()].map(({ ids, userIds }) => ({
    ids,
    userIds: userIds.toSorted((a, b) => a - b),
  }));
}
