import { statement, type Tx } from "@carillon/db";
import { processName } from "@carillon/kit";

import type { Failure, UnreadFailure } from "./outcome.ts";

const record = statement({
  name: "delivery-failures-record",
  text: `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, channel_id, due_at,
      reason, notice_id, process, cause)
    SELECT $1, f.id, f.version, f.kind, f.sender_id, f.channel_id, to_timestamp(f.due_at), f.reason, f.notice_id, $9, f.cause
    FROM unnest($2::bigint[], $3::int[], $4::int[], $5::int[], $6::int[], $7::float8[], $8::text[], $10::bigint[], $11::text[])
      WITH ORDINALITY AS f (id, version, kind, sender_id, channel_id, due_at, reason, notice_id, cause, place)
    ORDER BY f.place`,
});

/**
 * Records failures for the operator, because an edit of the message clears its row's failure.
 * @param noticeIds ids of the notices to the senders, by the ids of the scheduled messages
 */
export function recordFailures(
  tx: Tx,
  realmId: number,
  failures: ReadonlyArray<Failure | UnreadFailure>,
  noticeIds: ReadonlyMap<number, number> = new Map(),
): void {
  if (failures.length === 0) return;
  const rows = failures.map(({ row }) => row);
  tx.sendWithCommit(record, [
    realmId,
    rows.map(({ id }) => id),
    rows.map(({ version }) => version),
    rows.map(({ kind }) => kind),
    rows.map(({ senderId }) => senderId),
    rows.map(({ channelId }) => channelId),
    rows.map(({ deliverAt }) => deliverAt),
    failures.map(({ reason }) => reason),
    processName,
    rows.map(({ id }) => noticeIds.get(id) ?? null),
    failures.map(({ cause }) => cause),
  ]);
}
