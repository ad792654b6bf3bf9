/**
 * Ids of events in a queue (events.md §6). Each number of the log has 1,024 ids, so that heartbeats get ids after the
 * last event, and every id maps to a position in the log. Ids stay safe integers up to 8.7 × 10¹² events.
 */
const idsPerEvent = 1_024;

/** Returns the id of the `index`th event that a queue gets for one number of the log. */
export function eventId(seq: number, index = 0): number {
  return seq * idsPerEvent + index;
}

/** Returns the number in the log up to which a client with this last id has all events; negative for negative ids. */
export function seqOf(id: number): number {
  return Math.floor(id / idsPerEvent);
}

/**
 * Returns the id of a heartbeat for a queue that has received everything up to `head`.
 * @returns undefined when no id is left before the next event
 */
export function heartbeatId(lastId: number, head: number): number | undefined {
  const id = Math.max(lastId, eventId(head)) + 1;
  return id < eventId(head + 1) ? id : undefined;
}

/** Returns whether the id is newer than any that a queue can have received while the log ends at `head`. */
export function isFromTheFuture(id: number, head: number): boolean {
  return id >= eventId(head + 1);
}
