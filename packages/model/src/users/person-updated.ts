import type { NewEvent } from "@carillon/events";

/**
 * What is told when one thing about an account has changed (events.md §4).
 * @param change exactly one change, as on the wire
 * @param audience who is told; everybody unless given
 */
export function personUpdated(
  userId: number,
  change: Readonly<Record<string, unknown>>,
  audience: NewEvent["audience"] = null,
): NewEvent {
  return {
    type: "realm_user",
    op: "update",
    payload: { person: { user_id: userId, ...change } },
    audience,
  };
}
