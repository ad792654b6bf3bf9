import { statement, inOneStatement, notNull, type RowOf, type Sql } from "@carillon/db";

import { hasContentAccess } from "../channels/access.ts";
import { accessFactsColumns, hasSharedHistorySql } from "../channels/access-sql.ts";
import { loadMemberships } from "../permissions/memberships.ts";
import { loadAccounts } from "../users/account.ts";
import { isSeen } from "./access.ts";

/**
 * A message that an account can see.
 * - `channelId`: null for direct messages.
 * - `memberIds`: all participants, ascending, null for a channel.
 */
export interface VisibleMessage extends Omit<RowOf<typeof messages>, "place" | "flags"> {
  /** undefined for a direct message */
  readonly channel: Pick<RowOf<typeof channelsOfMessages>, "id" | "name"> | undefined;
}

/** Asks whether an account can see a message. */
interface VisibilityQuery {
  readonly accountId: number;
  readonly messageId: number;
}

const messages = statement({
  name: "messages-to-see",
  text: `SELECT look.place::int, um.flags, m.id, m.sender_id AS "senderId", sender.full_name AS "senderName",
      r.channel_id AS "channelId", r.member_ids AS "memberIds", m.topic, m.content
    FROM unnest((SELECT $2::int[]), (SELECT $3::bigint[])) WITH ORDINALITY AS look (user_id, message_id, place)
    JOIN messages m ON m.id = look.message_id AND m.realm_id = $1
    JOIN recipients r ON r.id = m.recipient_id
    JOIN users sender ON sender.id = m.sender_id
    LEFT JOIN user_messages um ON um.user_id = look.user_id AND um.message_id = m.id`,
  overrides: { place: notNull },
});

const channelsOfMessages = statement({
  name: "channels-of-messages-to-see",
  text: `SELECT c.id, c.name, ${hasSharedHistorySql} AS "historyPublicToSubscribers", ${accessFactsColumns},
      ARRAY(SELECT s.user_id FROM subscriptions s WHERE s.channel_id = c.id AND s.active
        AND s.user_id = ANY(ARRAY(SELECT unnest($2::int[])))) AS "subscribedIds"
    FROM channels c WHERE c.realm_id = $1 AND c.id IN (
      SELECT r.channel_id FROM messages m JOIN recipients r ON r.id = m.recipient_id
      WHERE m.id = ANY(ARRAY(SELECT unnest($3::bigint[]))))`,
});

/**
 * Loads the message of each query if the account of the query can see it (messages.md §6), by the rules of
 * `accessMessages`. All queries share one statement and one snapshot. The contents come from this snapshot too, so that
 * no account gets a content written after it lost access.
 * @returns in the order of the queries; undefined if the account cannot see the message, or there is none
 */
export async function loadVisibleMessages(
  sql: Sql,
  realmId: number,
  queries: readonly VisibilityQuery[],
): Promise<Array<VisibleMessage | undefined>> {
  const seen = queries.map((): VisibleMessage | undefined => undefined);
  if (queries.length === 0) return seen;
  const accountIds = queries.map(({ accountId }) => accountId);
  const values = [realmId, accountIds, queries.map(({ messageId }) => messageId)];
  const [rows, channels, accounts, memberships] = await inOneStatement(sql, (one) =>
    Promise.all([
      one.rows(messages, values),
      one.rows(channelsOfMessages, values),
      loadAccounts(one, realmId, accountIds),
      loadMemberships(one, accountIds),
    ]),
  );
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  for (const { place, flags, ...message } of rows) {
    const account = accounts.get(accountIds[place - 1]!);
    if (!account) continue;
    const existing = message.channelId === null ? undefined : byId.get(message.channelId);
    const subscribed = existing?.subscribedIds.includes(account.id) === true;
    const channel =
      existing && hasContentAccess(account, existing, memberships, subscribed)
        ? existing
        : undefined;
    if (isSeen({ channelId: message.channelId, flags }, channel))
      seen[place - 1] = { ...message, channel };
  }
  return seen;
}
