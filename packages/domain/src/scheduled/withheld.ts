import {
  type WithheldMessageResource,
  withheldMessagesAdded,
  type Condition,
} from "@carillon/contract";
import {
  packed,
  type PagedList,
  readList,
  type RowOf,
  type Sql,
  statement,
  type Tx,
  typed,
} from "@carillon/db";

import type { DueRow } from "./due-row.ts";
import type { MetCondition } from "./evaluate-conditions.ts";
import { presentScheduled } from "./scheduled-events.ts";

/** A due row that is not sent, because one of its conditions holds. */
export interface Withheld extends MetCondition {
  readonly row: DueRow;
  readonly kind: "withheld";
}

const store = statement({
  name: "withheld-store",
  text: `WITH gone AS (DELETE FROM scheduled_messages WHERE id = ANY($1::bigint[]) RETURNING *)
    INSERT INTO withheld_messages (scheduled_message_id, realm_id, sender_id, recipient_id, channel_id, topic, content,
      deliver_at, condition, message_id)
    SELECT g.id, g.realm_id, g.sender_id, g.recipient_id, g.channel_id, g.topic, g.content, g.deliver_at,
      w.condition::jsonb, w.message_id
    FROM gone g JOIN unnest($1::bigint[], $2::text[], $3::bigint[]) AS w (id, condition, message_id) ON w.id = g.id`,
});

/** Moves the rows to `withheld_messages`, in a statement that is sent together with the COMMIT. */
export function storeWithheld(tx: Tx, withheld: readonly Withheld[]): void {
  if (withheld.length === 0) return;
  tx.sendWithCommit(store, [
    packed.bigints(withheld.map(({ row }) => row.id)),
    packed.texts(withheld.map(({ condition }) => JSON.stringify(condition))),
    packed.bigints(withheld.map(({ messageId }) => messageId)),
  ]);
}

/**
 * Makes the event of a withheld message, for its sender.
 * @param now UNIX seconds, of the transaction
 */
export function withheldEvent({ row, condition, messageId }: Withheld, now: number) {
  const { rendered_content: _html, failed: _failed, ...message } = presentScheduled(row);
  const withheld_messages = [
    { ...message, withheld_timestamp: Math.floor(now), condition, message_id: messageId },
  ];
  return withheldMessagesAdded({ withheld_messages }, { audience: [row.senderId] });
}

/** Days for which a withheld message is listed. */
const keptDays = 30;

const sizes = statement({
  name: "withheld-list-sizes",
  text: `SELECT w.scheduled_message_id AS id, (octet_length(w.content) + 500)::int AS bytes
    FROM withheld_messages w WHERE w.sender_id = $1 AND w.withheld_at > now() - interval '${keptDays} days'
    ORDER BY w.withheld_at DESC, w.scheduled_message_id DESC`,
});

const byIds = statement({
  name: "withheld-list-by-ids",
  text: `SELECT w.scheduled_message_id AS id, w.sender_id AS "senderId", w.channel_id AS "channelId",
      CASE WHEN w.channel_id IS NULL THEN r.member_ids END AS "memberIds", w.topic, w.content,
      extract(epoch FROM w.deliver_at)::float8 AS "deliverAt", extract(epoch FROM w.withheld_at)::float8 AS "withheldAt",
      w.condition, w.message_id AS "messageId"
    FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, place)
      JOIN withheld_messages w ON w.scheduled_message_id = wanted.id JOIN recipients r ON r.id = w.recipient_id
    WHERE w.sender_id = $1 ORDER BY wanted.place`,
  overrides: { condition: typed<Condition>() },
});

/**
 * Lists the account's withheld messages of 30 days, newest first (once-and-again.md §4): as a whole, or in pages if the
 * list is large.
 * @param sql a repeatable read transaction: sizes and rows must be of one snapshot
 */
export async function listWithheld(
  sql: Sql,
  senderId: number,
): Promise<WithheldMessageResource[] | PagedList<WithheldMessageResource>> {
  return readList(sql, await sql.rows(sizes, [senderId]), async (one, ids) =>
    (await one.rows(byIds, [senderId, ids])).map(present),
  );
}

function present(row: RowOf<typeof byIds>): WithheldMessageResource {
  const { condition, messageId, withheldAt } = row;
  const {
    rendered_content: _html,
    failed: _failed,
    ...message
  } = presentScheduled({
    ...row,
    renderedContent: "",
    failed: false,
  });
  return {
    ...message,
    withheld_timestamp: Math.floor(withheldAt),
    condition,
    message_id: messageId,
  };
}

const clear = statement({
  name: "withheld-clear",
  text: `WITH cleared AS (
      DELETE FROM withheld_messages WHERE scheduled_message_id = ANY(ARRAY(
        SELECT w.scheduled_message_id FROM withheld_messages w
        WHERE w.withheld_at <= now() - interval '${keptDays} days' ORDER BY w.withheld_at LIMIT $1))
      RETURNING scheduled_message_id)
    SELECT count(*)::int AS count FROM cleared`,
});

/** Deletes at most `most` records of messages that were withheld {@link keptDays} days ago or earlier; returns how many. */
export async function clearWithheld(tx: Tx, most: number): Promise<number> {
  return (await tx.first(clear, [most]))?.count ?? 0;
}
