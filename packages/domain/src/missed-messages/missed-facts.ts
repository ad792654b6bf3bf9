import { personalSettings, roles } from "@carillon/contract";
import { notNull, type RowOf, type Sql, statement } from "@carillon/db";
import {
  flag,
  restrictsGuests,
  seesByChannel,
  sharesConversation,
  visibilityPolicy,
} from "@carillon/model";

import { triggerOf } from "../notifications/candidates.ts";

/** The personal settings that decide about mails, by their names in {@link triggerOf}. */
const settings = {
  offline: "enable_offline_email_notifications",
  followed: "enable_followed_topic_email_notifications",
  followedWildcards: "enable_followed_topic_wildcard_mentions_notify",
  wildcards: "wildcard_mentions_notify",
  channels: "enable_stream_email_notifications",
} as const;

const settingColumns = Object.entries(settings)
  .map(
    ([as, name]) =>
      `coalesce((u.settings->>'${name}')::boolean, ${personalSettings[name].initial}) AS "${as}"`,
  )
  .join(", ");

/**
 * Selects the given messages that the account has not read and can still read, in its conversations and in channels to
 * which it is subscribed. Leaves out messages of muted senders.
 */
const facts = statement({
  name: "missed-message-facts",
  text: `SELECT m.id, NOT m.is_channel AS "isDirect", um.flags,
      coalesce((SELECT t.visibility_policy FROM user_topics t WHERE t.user_id = u.id
        AND t.channel_id = r.channel_id AND lower(t.topic) = lower(m.topic)), ${visibilityPolicy.inherit}) AS policy,
      coalesce(s.is_muted, false) AS "channelMuted", s.email_notifications AS "channelMail",
      s.wildcard_mentions_notify AS "channelWildcards", ${settingColumns},
      u.role = ${roles.guest} AND EXISTS (SELECT FROM realms WHERE realms.id = $1 AND ${restrictsGuests})
        AND NOT sender.is_bot AND NOT ${seesByChannel("u.id", "m.sender_id")}
        AND NOT ${sharesConversation("$1", "u.id", "m.sender_id")} AS "unseenSender"
    FROM users u CROSS JOIN LATERAL (
      SELECT um.message_id, um.flags FROM user_messages um
      WHERE um.user_id = u.id AND um.message_id = ANY(ARRAY(SELECT unnest($3::bigint[])))
        AND um.flags & ${flag.read} = 0 OFFSET 0) um
    JOIN messages m ON m.id = um.message_id AND m.realm_id = $1
    JOIN recipients r ON r.id = m.recipient_id JOIN users sender ON sender.id = m.sender_id
    LEFT JOIN subscriptions s ON s.channel_id = r.channel_id AND s.user_id = u.id AND s.active
    WHERE u.id = $2 AND u.realm_id = $1 AND u.is_active AND NOT u.is_bot AND m.sender_id <> u.id
      AND (NOT m.is_channel OR s.user_id IS NOT NULL)
      AND NOT EXISTS (SELECT FROM muted_users muted WHERE muted.user_id = u.id AND muted.muted_user_id = m.sender_id)
    ORDER BY m.id`,
  overrides: { unseenSender: notNull },
});

/** A message that an account has to be mailed about. */
export interface MissedMessage {
  readonly id: number;
  /** Whether the account cannot see its sender. */
  readonly unseenSender: boolean;
}

/**
 * Loads the given messages that the account has to be mailed about now, ascending: it can read them, has not read them,
 * and its settings ask for a mail (settings-and-profile-fields.md §1.4).
 */
export async function loadMissed(
  sql: Sql,
  realmId: number,
  userId: number,
  messageIds: readonly number[],
): Promise<MissedMessage[]> {
  const rows = await sql.rows(facts, [realmId, userId, messageIds]);
  return rows.flatMap((row) => (wantsMail(row) ? [row] : []));
}

/** Decides as for push notifications, with the settings for mails. */
function wantsMail({ flags, channelMail, ...row }: RowOf<typeof facts>): boolean {
  return (
    triggerOf({
      ...row,
      mention: (flags & flag.mentioned) === 0 ? undefined : { kind: "personal" },
      topicWildcard: (flags & flag.topicWildcardMentioned) !== 0,
      channelWildcard: (flags & flag.streamWildcardMentioned) !== 0,
      channelPush: channelMail,
      online: true,
      present: false,
    }) !== undefined
  );
}
