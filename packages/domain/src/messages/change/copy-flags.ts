import { statement, type Tx } from "@carillon/db";
import {
  type AccessibleMessage,
  type Account,
  anyMention,
  flag,
  isDeferred,
  type PostingChannel,
} from "@carillon/model";

import { loadReceiverFlags } from "../send/receiver-flags.ts";
import type { NewText } from "./check-change.ts";
import { possibleHolders } from "./copy-holders.ts";

/** The flags that depend on the content (messages.md §3). */
const ofText = anyMention | flag.hasAlertWord;

/**
 * Replaces the flags that depend on the content, in copies in which they differ. Inserts deferred copies that get flags. On
 * conflict it sets the flags: the person may come back meanwhile, and get the copy without flags.
 */
const rewriteCopies = statement({
  name: "flags-of-rewritten",
  text: `WITH holder AS (
      ${possibleHolders({ channel: "$2", ids: "ARRAY[$1::bigint]" })} UNION SELECT unnest($3::int[])
    ), held AS MATERIALIZED (
      SELECT um.user_id, coalesce(own.flags, 0) | $4::int AS wanted
      FROM holder JOIN user_messages um ON um.user_id = holder.user_id AND um.message_id = $1
      LEFT JOIN unnest($5::int[], $6::int[]) AS own (user_id, flags) ON own.user_id = holder.user_id
      WHERE um.flags & ${ofText} <> coalesce(own.flags, 0) | $4::int
      ORDER BY um.user_id FOR NO KEY UPDATE OF um
    ), made AS (
      INSERT INTO user_messages AS um (user_id, message_id, flags)
      SELECT s.user_id, $1, coalesce(own.flags, 0) | $4::int | CASE WHEN s.deferred_read THEN ${flag.read} ELSE 0 END
      FROM subscriptions s LEFT JOIN unnest($5::int[], $6::int[]) AS own (user_id, flags) ON own.user_id = s.user_id
      WHERE s.channel_id = $2 AND ${isDeferred("$1")} AND coalesce(own.flags, 0) | $4::int <> 0
        AND NOT EXISTS (SELECT FROM user_messages um WHERE um.user_id = s.user_id AND um.message_id = $1)
        AND EXISTS (SELECT FROM messages m WHERE m.id = $1 AND NOT m.changed_channel)
      ORDER BY s.user_id
      ON CONFLICT (user_id, message_id) DO UPDATE SET flags = um.flags & ~${ofText} | excluded.flags
    )
    UPDATE user_messages um SET flags = um.flags & ~${ofText} | held.wanted FROM held
    WHERE um.user_id = held.user_id AND um.message_id = $1`,
});

/**
 * Updates the flags of all copies to the new content. Creates deferred copies that get flags, as sending does
 * (docs/decisions/083).
 */
export async function rewriteFlags(
  tx: Tx,
  sender: Account,
  { id, channelId, memberIds, topic }: AccessibleMessage,
  channel: PostingChannel | undefined,
  text: NewText,
): Promise<void> {
  const target = channel
    ? ({ kind: "channel", channel } as const)
    : ({ kind: "direct", members: memberIds ?? [], participants: [] } as const);
  const [flags] = await loadReceiverFlags(tx, sender.realmId, [
    { ...text, sender, target, topic, readBySender: false },
  ]);
  const own = [...(flags?.byUser ?? [])];
  await tx.lock({ name: "copies", keys: [id] }, rewriteCopies, [
    id,
    channelId,
    memberIds ?? [],
    (flags?.all ?? 0) & ofText,
    own.map(([userId]) => userId),
    own.map(([, bits]) => bits & ofText),
  ]);
}

const flagsOf = statement({
  name: "flags-of-receivers",
  text: `SELECT um.message_id AS id, um.flags & ~${flag.activeMobilePush} AS flags,
      array_agg(um.user_id ORDER BY um.user_id) AS "userIds"
    FROM unnest($1::bigint[], $2::text[]) AS w (message_id, receivers) CROSS JOIN LATERAL unnest(w.receivers::int[]) AS receiver (id)
    JOIN user_messages um ON um.user_id = receiver.id AND um.message_id = w.message_id
    GROUP BY 1, 2 ORDER BY 1, 2`,
});

/** Accounts whose copies of a message have the same flags, ignoring `activeMobilePush`. */
export interface FlaggedAlike {
  readonly flags: number;
  readonly userIds: readonly number[];
}

/** Loads the flags of the accounts' copies, by message. */
export async function loadFlags(
  tx: Tx,
  receivers: ReadonlyArray<{ readonly id: number; readonly userIds: readonly number[] }>,
): Promise<Map<number, FlaggedAlike[]>> {
  const rows = await tx.rows(flagsOf, [
    receivers.map(({ id }) => id),
    receivers.map(({ userIds }) => `{${userIds.join(",")}}`),
  ]);
  const byMessage = new Map<number, FlaggedAlike[]>();
  for (const { id, ...alike } of rows) byMessage.set(id, [...(byMessage.get(id) ?? []), alike]);
  return byMessage;
}
