import type { PlannedPush } from "@carillon/jobs";
import { flag, restrictsGuests, seesByChannel, sharesConversation } from "@carillon/model";
import { roles } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

/** Whether the account `u` is a guest who does not see the sender of the message `m` (users.md §2.1). */
const unseenSender = `(SELECT u.role = ${roles.guest}
    AND EXISTS (SELECT FROM realms WHERE realms.id = $1 AND ${restrictsGuests})
    AND NOT (SELECT sender.is_bot FROM users sender WHERE sender.id = m.sender_id)
    AND NOT ${seesByChannel("u.id", "m.sender_id")} AND NOT ${sharesConversation("$1", "u.id", "m.sender_id")} OFFSET 0)`;

/**
 * Each look-up goes by its own index (`OFFSET 0`), as in `push-candidates`. What is held is unread: asked again by the
 * update, PostgreSQL would go through all that is unread, and compare each with each.
 */
const claim = statement({
  name: "pushes-claim",
  text: `WITH wanted AS MATERIALIZED (
      SELECT w.place, w.user_id, w.message_id, u.role, ${unseenSender} AS unseen_sender
      FROM unnest($2::int[], $3::bigint[]) WITH ORDINALITY AS w (user_id, message_id, place)
      CROSS JOIN LATERAL (
        SELECT u.id, u.role FROM users u WHERE u.id = w.user_id AND u.realm_id = $1 AND u.is_active OFFSET 0) u
      CROSS JOIN LATERAL (
        SELECT m.is_channel, m.sender_id, r.channel_id FROM messages m JOIN recipients r ON r.id = m.recipient_id
        WHERE m.id = w.message_id AND m.realm_id = $1 OFFSET 0) m
      WHERE NOT m.is_channel OR EXISTS (
        SELECT FROM subscriptions s WHERE s.channel_id = m.channel_id AND s.user_id = w.user_id AND s.active OFFSET 0)
      ORDER BY w.user_id, w.message_id
    ), held AS MATERIALIZED (
      SELECT wanted.place, wanted.role, wanted.unseen_sender, um.user_id, um.message_id FROM wanted CROSS JOIN LATERAL (
        SELECT um.user_id, um.message_id FROM user_messages um
        WHERE um.user_id = wanted.user_id AND um.message_id = wanted.message_id AND um.flags & ${flag.read} = 0
        FOR NO KEY UPDATE) um
    ), marked AS (
      UPDATE user_messages um SET flags = um.flags | ${flag.activeMobilePush} FROM held
      WHERE um.user_id = held.user_id AND um.message_id = held.message_id
    )
    SELECT place::int, role, unseen_sender AS "unseenSender" FROM held ORDER BY place`,
  row: { place: column.int, role: column.int, unseenSender: column.bool },
});

/** A message that is to be pushed to an account now. */
export interface ClaimedPush extends PlannedPush {
  /** Its place among those that were given. */
  readonly entry: number;
  /** Of the account: one of `roles`. */
  readonly role: number;
  /** It does not see who has sent the message. */
  readonly unseenSender: boolean;
}

/**
 * Notes of those messages which are still to be pushed that they were (push.md §9): their accounts are active, see the
 * message in a channel that they are subscribed to, or in a conversation of theirs, and have not read it. From the commit
 * on, reading them takes them off the devices. Who is not subscribed any more, or reads meanwhile, gets nothing: what is
 * unread is marked as read for those who leave (channels.md §11), so that it goes off their devices, too.
 * @returns those, in the order given
 */
export async function claimPushes(
  tx: Tx,
  realmId: number,
  pushes: readonly PlannedPush[],
): Promise<ClaimedPush[]> {
  const userIds = pushes.map(({ userId }) => userId);
  const messageIds = pushes.map(({ messageId }) => messageId);
  const rows = await tx.lock({ name: "copies", fresh: true }, claim, [
    realmId,
    userIds,
    messageIds,
  ]);
  return rows.map(({ place, ...receiver }) => ({
    ...pushes[place - 1]!,
    ...receiver,
    entry: place - 1,
  }));
}
