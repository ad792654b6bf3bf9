import { type NumberedMessage, flag, topicParticipants } from "@carillon/model";
import { statement, type Sql, type Tx } from "@carillon/db";

import { loadAlerted } from "../../alert-words/alerted.ts";

/** Flags of the copies of one message. */
export interface ReceiverFlags {
  /** Flags of every receiver that `byUser` does not name. */
  readonly all: number;
  /** Complete flags of the other receivers, by account id. */
  readonly byUser: ReadonlyMap<number, number>;
}

/** The fields of a message that decide its receivers' flags. */
export type FlagInput = Pick<
  NumberedMessage,
  "sender" | "target" | "topic" | "content" | "rendered" | "readBySender" | "readBy" | "unreadBy"
>;

/**
 * Computes the flags of every copy (messages.md §3). May include mentioned accounts that are not receivers: flags are
 * stored only for receivers. Takes two statements for a batch, one more if a text contains alert words, and one for each
 * message with a group or topic mention.
 */
export async function loadReceiverFlags(
  tx: Tx,
  realmId: number,
  messages: readonly FlagInput[],
): Promise<ReceiverFlags[]> {
  const contents = messages.map(({ content }) => content);
  const [muters, alerted] = await Promise.all([
    loadMuters(tx, messages),
    loadAlerted(tx, realmId, contents),
  ]);
  const result: ReceiverFlags[] = [];
  for (const [index, message] of messages.entries()) {
    const byUser = new Map<number, number>();
    const add = (userId: number, bits: number) =>
      byUser.set(userId, (byUser.get(userId) ?? 0) | bits);
    const { rendered, target, sender } = message;
    if (message.readBySender) add(sender.id, flag.read);
    for (const id of message.readBy ?? []) add(id, flag.read);
    for (const id of muters.get(sender.id) ?? []) add(id, flag.read);
    for (const id of rendered.mentionedUserIds) add(id, flag.mentioned);
    if (rendered.mentionedGroupIds.length > 0)
      for (const id of await groupMembers(tx, rendered.mentionedGroupIds)) add(id, flag.mentioned);
    if (target.kind === "channel" && rendered.topicWildcard) {
      const topic = { recipientId: target.channel.recipientId, topic: message.topic };
      for (const id of await topicParticipants(tx, topic)) add(id, flag.topicWildcardMentioned);
    }
    for (const id of alerted[index] ?? []) add(id, flag.hasAlertWord);
    const wildcard = target.kind === "channel" && rendered.channelWildcard;
    const all =
      (target.kind === "direct" ? flag.direct : 0) |
      (wildcard ? flag.streamWildcardMentioned : 0) |
      (message.unreadBy ? flag.read : 0);
    result.push({ all, byUser: differingFlags(all, byUser, message.unreadBy ?? []) });
  }
  return result;
}

/** Returns the complete flags of the receivers that differ from the others. @param additional flags in addition to `all` */
function differingFlags(
  all: number,
  additional: ReadonlyMap<number, number>,
  unreadBy: readonly number[],
): Map<number, number> {
  const complete = new Map([...additional].map(([id, bits]) => [id, all | bits]));
  for (const id of unreadBy) complete.set(id, (complete.get(id) ?? all) & ~flag.read);
  return complete;
}

const mutersOf = statement({
  name: "muters-of",
  text: `SELECT user_id AS "userId", muted_user_id AS "mutedUserId" FROM muted_users
    WHERE muted_user_id = ANY($1::int[])`,
});

/** Loads the accounts that have muted each sender: their copies count as read. */
async function loadMuters(
  sql: Sql,
  messages: readonly FlagInput[],
): Promise<Map<number, number[]>> {
  const rows = await sql.rows(mutersOf, [[...new Set(messages.map(({ sender }) => sender.id))]]);
  const bySender = new Map<number, number[]>();
  for (const { userId, mutedUserId } of rows) {
    const muters = bySender.get(mutedUserId);
    if (muters) muters.push(userId);
    else bySender.set(mutedUserId, [userId]);
  }
  return bySender;
}

const activeMembers = statement({
  name: "active-group-members",
  text: `WITH RECURSIVE downward (group_id) AS (
      SELECT unnest($1::int[])
      UNION
      SELECT edge.subgroup_id FROM downward JOIN user_group_subgroup edge ON edge.supergroup_id = downward.group_id
    )
    SELECT DISTINCT u.id FROM downward JOIN user_group_member m USING (group_id)
    JOIN users u ON u.id = m.user_id WHERE u.is_active`,
});

/** Loads the active members of groups, direct and indirect. */
async function groupMembers(sql: Sql, groupIds: readonly number[]): Promise<number[]> {
  const rows = await sql.rows(activeMembers, [groupIds]);
  return rows.map(({ id }) => id);
}
