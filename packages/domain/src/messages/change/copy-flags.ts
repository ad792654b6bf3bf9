import { column, statement, type Tx } from "@carillon/db";
import { flag, type AccessibleMessage, type Account, type PostingChannel } from "@carillon/model";

import { loadReceiverFlags } from "../send/receiver-flags.ts";
import type { NewText } from "./check-change.ts";
import { possibleHolders } from "./holders.ts";

/** The flags that follow from what a message says (messages.md §3). */
const ofText =
  flag.mentioned | flag.streamWildcardMentioned | flag.topicWildcardMentioned | flag.hasAlertWord;

/** In both directions. */
const rewrite = statement({
  name: "flags-of-rewritten",
  text: `WITH holder AS (
      ${possibleHolders({ channel: "$2", ids: "ARRAY[$1::bigint]" })} UNION SELECT unnest($3::int[])
    ), held AS MATERIALIZED (
      SELECT um.user_id, coalesce(own.flags, 0) | $4::int AS wanted
      FROM holder JOIN user_messages um ON um.user_id = holder.user_id AND um.message_id = $1
      LEFT JOIN unnest($5::int[], $6::int[]) AS own (user_id, flags) ON own.user_id = holder.user_id
      WHERE um.flags & ${ofText} <> coalesce(own.flags, 0) | $4::int
      ORDER BY um.user_id FOR NO KEY UPDATE OF um
    )
    UPDATE user_messages um SET flags = um.flags & ~${ofText} | held.wanted FROM held
    WHERE um.user_id = held.user_id AND um.message_id = $1`,
  row: {},
});

/** Brings the flags of everybody's copies up to what the message says by now; nobody gets a copy. */
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
  await tx.lock({ name: "copies", keys: [id] }, rewrite, [
    id,
    channelId,
    memberIds ?? [],
    (flags?.all ?? 0) & ofText,
    own.map(([userId]) => userId),
    own.map(([, bits]) => bits & ofText),
  ]);
}

const flagsOf = statement({
  name: "flags-of-told",
  text: `SELECT um.message_id AS id, um.flags & ~${flag.activeMobilePush} AS flags,
      array_agg(um.user_id ORDER BY um.user_id) AS "userIds"
    FROM unnest($1::bigint[], $2::text[]) AS w (message_id, told) CROSS JOIN LATERAL unnest(w.told::int[]) AS told (id)
    JOIN user_messages um ON um.user_id = told.id AND um.message_id = w.message_id
    GROUP BY 1, 2 ORDER BY 1, 2`,
  row: { id: column.bigint, flags: column.int, userIds: column.ints },
});

/** Accounts whose copies of a message have the same flags, but for the one of what was pushed. */
export interface FlaggedAlike {
  readonly flags: number;
  readonly userIds: readonly number[];
}

/** The flags of the copies that these people have, by message. */
export async function loadFlags(
  tx: Tx,
  told: ReadonlyArray<{ readonly id: number; readonly userIds: readonly number[] }>,
): Promise<Map<number, FlaggedAlike[]>> {
  const rows = await tx.rows(flagsOf, [
    told.map(({ id }) => id),
    told.map(({ userIds }) => `{${userIds.join(",")}}`),
  ]);
  const byMessage = new Map<number, FlaggedAlike[]>();
  for (const { id, ...alike } of rows) byMessage.set(id, [...(byMessage.get(id) ?? []), alike]);
  return byMessage;
}
