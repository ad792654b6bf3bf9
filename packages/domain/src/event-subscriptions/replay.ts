import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { eventId, oldestInLog, readHead, seqAtTime, seqOf } from "@carillon/events";
import { type Account, recordAudit } from "@carillon/model";

import { lockSubscription, serveAfterCommit } from "./subscription-row.ts";

/** Where a replay begins: at an event, or at a time in UNIX seconds. */
export interface ReplayFrom {
  readonly eventId: number | undefined;
  readonly time: number | undefined;
}

const move = statement({
  name: "event-subscription-replay",
  text: `UPDATE event_subscription SET cursor = $2, generation = generation + 1, batch_to = NULL, batch_webhook_id = NULL,
      gap = false, earlier_filters = '[]'
    WHERE id = $1`,
});

/**
 * Moves the cursor of a subscription, so that it continues with the first event at or after the given event or time. The
 * result of a batch in progress no longer moves the cursor. All events are filtered by the current filters.
 * @returns the new cursor, an event id
 * @throws ApiError `BAD_REQUEST`, with `oldest_event_id` if the event is no longer kept
 */
export async function replaySubscription(
  tx: Tx,
  actor: Account,
  id: number,
  from: ReplayFrom,
): Promise<number> {
  if ((from.eventId === undefined) === (from.time === undefined))
    throw errors.badRequest("Give either from_event_id or from_time");
  const { row } = await lockSubscription(tx, actor, id);
  const cursor = (await firstOf(tx, row.realmId, from)) - 1;
  await tx.rows(move, [id, cursor]);
  serveAfterCommit(tx, row);
  recordAudit(tx, row.realmId, actor.id, [
    {
      type: "event_subscription_replayed",
      userId: row.botId,
      data: { subscription_id: id, cursor: eventId(cursor) },
    },
  ]);
  return eventId(cursor);
}

/** Returns the number of the first event that is sent again. @throws ApiError `BAD_REQUEST` */
async function firstOf(tx: Tx, realmId: number, from: ReplayFrom): Promise<number> {
  const [head, oldest] = await Promise.all([readHead(tx, realmId), oldestInLog(tx, realmId)]);
  const gone = () =>
    errors.badRequest("Events of that age are no longer kept", {
      oldest_event_id: oldest === undefined ? null : eventId(oldest.seq),
    });
  if (from.eventId !== undefined) {
    const seq = Math.max(1, seqOf(from.eventId));
    if (seq > head) throw errors.badRequest("from_event_id is after the last event");
    if (oldest === undefined || seq < oldest.seq) throw gone();
    return seq;
  }
  const found = await seqAtTime(tx, realmId, from.time ?? 0);
  if (found === undefined) throw errors.badRequest("from_time is after the last event");
  // Older events may have been deleted, unless the first one is still there.
  if (oldest && oldest.seq > 1 && (from.time ?? 0) < oldest.at) throw gone();
  return found;
}
