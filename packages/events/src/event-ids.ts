/**
 * Ids of events in a queue (events.md §6): 1,024 for each number of the log, so that a heartbeat finds room behind the
 * last event and every id tells a place in the log. They stay safe integers up to 8.7 × 10¹² events.
 */
const room = 1_024;

/** The id of the `index`th event that a queue gets for one number of the log. */
export function eventId(seq: number, index = 0): number {
  return seq * room + index;
}

/** The number in the log up to which somebody has got everything who knows this id; negative ids know nothing. */
export function seqOf(id: number): number {
  return Math.floor(id / room);
}

/**
 * The id of a heartbeat for a queue that has got everything up to `head`.
 * @returns undefined when there is no room left before the next event
 */
export function heartbeatId(lastId: number, head: number): number | undefined {
  const id = Math.max(lastId, eventId(head)) + 1;
  return id < eventId(head + 1) ? id : undefined;
}

/** Whether no queue can have been given this id while the log ends at `head`. */
export function isFromTheFuture(id: number, head: number): boolean {
  return id >= eventId(head + 1);
}
