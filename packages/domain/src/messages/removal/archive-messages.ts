import { type RowOf, statement, type Tx, typed } from "@carillon/db";
import { isDeferred, flag } from "@carillon/model";

import type { PushedMessages } from "../../notifications/record-removals.ts";

/** The columns that the archive keeps: all except the search vector. */
export const archivedColumns = `id, scheduled_message_id, realm_id, sender_id, recipient_id, is_channel, topic, content,
      rendered_content, render_version, sent_at, client_id, edit_history, last_edit_at, has_link, has_image,
      has_attachment, changed_channel`;

/** Removed messages of one recipient and topic. */
export interface RemovedTopicMessages {
  readonly recipientId: number;
  readonly isChannel: boolean;
  readonly topic: string;
  /** Accounts that had a copy, ascending, if visibility depended on copies; else null. */
  readonly holderIds: readonly number[] | null;
  /** Ascending. */
  readonly ids: readonly number[];
}

/** Unread and starred messages of an account that could no longer see them; ids ascending. */
interface UnseenMessages {
  readonly userId: number;
  readonly unread: readonly number[];
  readonly starred: readonly number[];
}

const idsOf = (condition: string) =>
  `coalesce(json_agg(found.message_id ORDER BY found.message_id) FILTER (WHERE ${condition}), '[]')`;

/**
 * Moves messages with all copies, reactions and submessages to the archive.
 *
 * Copies are keyed by account (messages.md §9), so the statement looks them up for the possible holders:
 * accounts with a current or former subscription (its row stays), members of the conversation, and holders of
 * `historical` copies. Copies are locked account by account, by message within each, in the order in which flag changes
 * lock them; this needs neither a sort nor a join of all copies. Then they are deleted by ctid, without another index
 * lookup. Deferred copies of people who are away (docs/decisions/083) are archived as if they existed. A
 * copy that was changed while waiting for its lock is `missed`: the statement locks the new row version, but
 * its snapshot does not contain it.
 *
 * PostgreSQL underestimates the rows of a deleting CTE so much that it would choose nested loops of copies and
 * accounts. So EXCEPT finds the accounts that could not see the messages, and full joins, which never use nested loops,
 * find the copies of these accounts. One archive row contains all copies, reactions and submessages of a message. Copies
 * are sorted for grouping, because a hash aggregate keeps 500 groups in memory and spills the rest to disk.
 */
export const move = statement({
  name: "messages-to-archive",
  text: `WITH gone AS MATERIALIZED (
      DELETE FROM messages WHERE realm_id = $1 AND id = ANY(ARRAY(SELECT unnest($3::bigint[])))
      RETURNING ${archivedColumns}
    ), place AS (
      SELECT r.id AS recipient_id, r.channel_id, r.member_ids, array_agg(gone.id) AS ids
      FROM gone JOIN recipients r ON r.id = gone.recipient_id GROUP BY r.id
    ), possible AS (
      SELECT place.recipient_id, s.user_id FROM place JOIN subscriptions s ON s.channel_id = place.channel_id
      UNION ALL SELECT recipient_id, unnest(member_ids) FROM place WHERE channel_id IS NULL
      UNION ALL SELECT place.recipient_id, um.user_id FROM place JOIN user_messages um ON um.message_id = ANY(place.ids)
      WHERE um.flags & ${flag.historical} <> 0
    ), blind AS MATERIALIZED (
      SELECT recipient_id, user_id FROM possible WHERE recipient_id = ANY($5::int[])
      EXCEPT SELECT r.recipient_id, unnest(r.ids::int[]) FROM unnest($5::int[], $6::text[]) AS r (recipient_id, ids)
    ), held AS MATERIALIZED (
      SELECT um.lies_at, holder.user_id, um.message_id, um.flags
      FROM (SELECT DISTINCT user_id FROM possible ORDER BY user_id) holder CROSS JOIN LATERAL (
        SELECT um.ctid AS lies_at, um.message_id, um.flags FROM user_messages um
        WHERE um.user_id = holder.user_id AND um.message_id = ANY(ARRAY(SELECT unnest($3::bigint[])))
        ORDER BY um.message_id FOR NO KEY UPDATE) um
    ), copy AS MATERIALIZED (
      DELETE FROM user_messages WHERE ctid = ANY(ARRAY(SELECT lies_at FROM held)) RETURNING user_id, message_id
    ), absent AS MATERIALIZED (
      SELECT place.recipient_id, s.user_id, s.deferred_after, s.deferred_until, s.deferred_read
      FROM place JOIN subscriptions s ON s.channel_id = place.channel_id WHERE s.deferred_after IS NOT NULL
    ), deferred AS MATERIALIZED (
      SELECT s.user_id, gone.id AS message_id, CASE WHEN s.deferred_read THEN ${flag.read} ELSE 0 END AS flags
      FROM absent s JOIN gone ON gone.recipient_id = s.recipient_id AND ${isDeferred("gone.id")}
        AND NOT gone.changed_channel
      WHERE NOT EXISTS (SELECT FROM held WHERE held.user_id = s.user_id AND held.message_id = gone.id)
    ), packed AS MATERIALIZED (
      SELECT message_id, array_agg(user_id) AS holder_ids, array_agg(flags) AS holder_flags
      FROM (SELECT user_id, message_id, flags FROM held UNION ALL SELECT user_id, message_id, flags FROM deferred
        ORDER BY message_id) sorted GROUP BY message_id
    ), reaction AS MATERIALIZED (
      DELETE FROM reactions WHERE message_id = ANY(ARRAY(SELECT id FROM gone)) RETURNING *
    ), submessage AS MATERIALIZED (
      DELETE FROM submessages WHERE message_id = ANY(ARRAY(SELECT id FROM gone)) RETURNING *
    ), reacted AS MATERIALIZED (
      SELECT message_id, jsonb_agg(to_jsonb(reaction)) AS rows FROM reaction GROUP BY message_id
    ), attached AS MATERIALIZED (
      SELECT message_id, jsonb_agg(to_jsonb(submessage)) AS rows FROM submessage GROUP BY message_id
    ), archived AS (
      INSERT INTO archived_messages
        (removal_id, ${archivedColumns}, holder_ids, holder_flags, reactions, submessages)
      SELECT $2::bigint, gone.*, coalesce(packed.holder_ids, '{}'), coalesce(packed.holder_flags, '{}'),
        reacted.rows, attached.rows
      FROM gone LEFT JOIN packed ON packed.message_id = gone.id
      LEFT JOIN reacted ON reacted.message_id = gone.id LEFT JOIN attached ON attached.message_id = gone.id
    ), announced AS (
      SELECT gone.recipient_id, gone.is_channel, gone.topic, gone.id,
        CASE WHEN NOT gone.is_channel OR gone.recipient_id = ANY($4::int[])
          THEN array(SELECT unnest(packed.holder_ids) ORDER BY 1) END AS holder_ids
      FROM gone LEFT JOIN packed ON packed.message_id = gone.id
    ), announced_topic AS (
      SELECT recipient_id AS "recipientId", is_channel AS "isChannel", topic, holder_ids AS "holderIds",
        json_agg(id ORDER BY id) AS ids
      FROM announced GROUP BY recipient_id, is_channel, topic, holder_ids
    ), marked AS (
      SELECT recipient_id, user_id, message_id, flags FROM (
        SELECT gone.recipient_id, held.user_id, held.message_id, held.flags
        FROM held FULL JOIN gone ON gone.id = held.message_id WHERE EXISTS (SELECT FROM blind) OFFSET 0) found
      WHERE flags & ${flag.read} = 0 OR flags & ${flag.starred} <> 0
    ), unseen AS (
      SELECT found.user_id AS "userId", ${idsOf(`found.flags & ${flag.read} = 0`)} AS unread,
        ${idsOf(`found.flags & ${flag.starred} <> 0`)} AS starred
      FROM (SELECT marked.user_id, marked.message_id, marked.flags, blind.user_id AS blind_id FROM marked
        FULL JOIN blind ON blind.recipient_id = marked.recipient_id AND blind.user_id = marked.user_id OFFSET 0) found
      JOIN users u ON u.id = found.user_id AND u.is_active
      WHERE found.blind_id IS NOT NULL GROUP BY found.user_id
    ), pushed AS (
      SELECT user_id AS "userId", json_agg(message_id ORDER BY message_id) AS ids FROM held
      WHERE flags & ${flag.activeMobilePush} <> 0 GROUP BY user_id
    ), missed AS (
      SELECT user_id AS "userId", message_id AS id FROM held EXCEPT SELECT user_id, message_id FROM copy
    )
    SELECT (SELECT count(*)::int FROM gone) AS count,
      (SELECT coalesce(bool_or(has_attachment), false) FROM gone) AS "hadAttachments",
      CASE WHEN (SELECT count(*) FROM held) > (SELECT count(*) FROM copy)
        THEN (SELECT json_agg(m) FROM missed m) END AS missed,
      (SELECT coalesce(json_agg(t ORDER BY (t.ids->>0)::bigint), '[]') FROM announced_topic t) AS topics,
      (SELECT coalesce(json_agg(u), '[]') FROM unseen u) AS unseen,
      (SELECT coalesce(json_agg(p), '[]') FROM pushed p) AS pushed`,
  overrides: {
    /** Copies that changed while waiting for their lock. */
    missed: typed<ReadonlyArray<{ readonly userId: number; readonly id: number }>>(),
    topics: typed<readonly RemovedTopicMessages[]>(),
    unseen: typed<readonly UnseenMessages[]>(),
    /** Messages whose notifications are on devices. */
    pushed: typed<readonly PushedMessages[]>(),
  },
});

/**
 * Deletes copies that the first statement has locked but could not see; a later statement sees them. Their messages are
 * already in the archive.
 */
const forget = statement({
  name: "copies-changed-while-archived",
  text: `DELETE FROM user_messages um USING unnest($1::int[], $2::bigint[]) AS c (user_id, message_id)
    WHERE um.user_id = c.user_id AND um.message_id = c.message_id`,
});

/** The receivers of a removal's events, by recipient id. */
export interface Readers {
  /** Channels where an account may read only messages that it has a copy of. */
  readonly ofCopies: readonly number[];
  /** Channels with restricted readers, and the readers of each in the same order. */
  readonly limited: readonly number[];
  readonly readerIds: ReadonlyArray<readonly number[]>;
}

/**
 * Moves messages with all copies to the archive, by one statement.
 * @param removalId id of the run that the messages belong to
 */
export async function archiveMessages(
  tx: Tx,
  { realmId, removalId }: { readonly realmId: number; readonly removalId: number },
  ids: readonly number[],
  { ofCopies, limited, readerIds }: Readers,
): Promise<RowOf<typeof move>> {
  const [moved] = await tx.lock({ name: "copies", keys: ids }, move, [
    realmId,
    removalId,
    ids,
    ofCopies,
    limited,
    readerIds.map((readers) => `{${readers.join(",")}}`),
  ]);
  if (!moved) throw new Error("the statement that archives messages returned no row");
  const { missed } = moved;
  if (missed)
    await tx.rows(forget, [missed.map(({ userId }) => userId), missed.map(({ id }) => id)]);
  return moved;
}

/** Days for which removed messages can be brought back (channels.md §11). */
export const archivedDays = 30;

/** Finds runs by their end, and messages by their run. A run's row is deleted with its last message. */
const purge = statement({
  name: "archive-purge",
  text: `WITH run AS MATERIALIZED (
      SELECT id FROM message_removals WHERE ended_at < now() - interval '${archivedDays} days'
      ORDER BY ended_at LIMIT $1
    ), message AS MATERIALIZED (
      SELECT removal_id, id FROM archived_messages WHERE removal_id = ANY(ARRAY(SELECT id FROM run)) LIMIT $1
    ), purged AS (
      DELETE FROM archived_messages a USING message m WHERE a.removal_id = m.removal_id AND a.id = m.id
    ), unclaimed AS (
      DELETE FROM attachment_claims WHERE message_id = ANY(ARRAY(SELECT id FROM message))
    ), ended AS (
      DELETE FROM message_removals r USING run WHERE r.id = run.id AND (SELECT count(*) FROM message) < $1
    )
    SELECT (SELECT count(*)::int FROM run) AS runs, (SELECT count(*)::int FROM message) AS messages`,
});

/**
 * Deletes removed messages that can no longer be restored, oldest first.
 * @param size maximum runs and messages
 * @returns how many messages were deleted, and whether there may be more
 */
export async function purgeArchive(
  tx: Tx,
  size: number,
): Promise<{ messages: number; more: boolean }> {
  const done = await tx.first(purge, [size]);
  if (!done) throw new Error("the statement that purges the archive returned no row");
  return { messages: done.messages, more: done.messages === size || done.runs === size };
}
