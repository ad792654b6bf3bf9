import { errors } from "@carillon/contract";
import { inOneStatement, type RowOf, type Sql, statement } from "@carillon/db";

import { channelReadable } from "../channels/access-sql.ts";
import { hasContentAccess, hasProtectedHistory } from "../channels/access.ts";
import { channelColumns } from "../channels/channel.ts";
import { loadMemberships } from "../permissions/memberships.ts";
import type { Fragment } from "../sql-values.ts";
import type { Account } from "../users/account.ts";

/**
 * A message that an account can see, with its channel (undefined for direct messages).
 * - `channelId`: null for direct messages.
 * - `memberIds`: all participants, ascending, null for a channel.
 * - `sentAt`: UNIX time in seconds, with a fraction.
 * - `flags`: flags of the account's own copy; null without a copy.
 */
export interface AccessibleMessage extends RowOf<typeof places> {
  /** `subscribed`: whether the account is subscribed. */
  readonly channel: RowOf<typeof channelsOfMessages> | undefined;
}

const places = statement({
  name: "messages-to-access",
  text: `SELECT m.id, m.sender_id AS "senderId", m.recipient_id AS "recipientId", r.channel_id AS "channelId",
      r.member_ids AS "memberIds", m.topic,
      extract(epoch FROM m.sent_at)::float8 AS "sentAt", um.flags
    FROM messages m JOIN recipients r ON r.id = m.recipient_id
    LEFT JOIN user_messages um ON um.user_id = $2 AND um.message_id = m.id
    WHERE m.realm_id = $1 AND m.id = ANY(ARRAY(SELECT unnest($3::bigint[]))) ORDER BY m.id`,
});

const channelsOfMessages = statement({
  name: "channels-of-messages-to-access",
  text: `SELECT ${channelColumns}, EXISTS (
      SELECT FROM subscriptions s WHERE s.channel_id = c.id AND s.user_id = $2 AND s.active) AS subscribed
    FROM channels c WHERE c.realm_id = $1 AND c.id IN (
      SELECT r.channel_id FROM messages m JOIN recipients r ON r.id = m.recipient_id
      WHERE m.id = ANY(ARRAY(SELECT unnest($3::bigint[]))))`,
});

/** Maximum messages of one statement, whose rows the driver parses at once. */
const atOnce = 1_000;

/**
 * Loads the messages that the account can see, by id, ascending (messages.md §6). All operations that take message ids
 * use this function. Up to {@link atOnce} messages are read in one snapshot, more in slices: an action that takes many
 * must run in a snapshot or hold the locks.
 */
export async function accessMessages(
  sql: Sql,
  account: Reader,
  ids: readonly number[],
): Promise<Map<number, AccessibleMessage>> {
  const accessible = new Map<number, AccessibleMessage>();
  const wanted = [...new Set(ids)].sort((a, b) => a - b);
  for (let start = 0; start < wanted.length; start += atOnce)
    for (const message of await accessSlice(sql, account, wanted.slice(start, start + atOnce)))
      accessible.set(message.id, message);
  return accessible;
}

async function accessSlice(
  sql: Sql,
  account: Reader,
  ids: readonly number[],
): Promise<AccessibleMessage[]> {
  const values = [account.realmId, account.id, ids];
  const [rows, channels, memberships] = await inOneStatement(sql, (one) =>
    Promise.all([
      one.rows(places, values),
      one.rows(channelsOfMessages, values),
      loadMemberships(one, [account.id]),
    ]),
  );
  const readable = channels.filter((channel) =>
    hasContentAccess(account, channel, memberships, channel.subscribed),
  );
  const byId = new Map(readable.map((channel) => [channel.id, channel]));
  return rows.flatMap((row) => {
    const channel = row.channelId === null ? undefined : byId.get(row.channelId);
    return isSeen(row, channel) ? [{ channel, ...row }] : [];
  });
}

/**
 * Whether an account can see a message.
 * @param flags flags of its own copy; null without a copy
 * @param channel the message's channel, if the account may read it
 */
export function isSeen(
  { channelId, flags }: { readonly channelId: number | null; readonly flags: number | null },
  channel: Parameters<typeof hasProtectedHistory>[0] | undefined,
): boolean {
  const received = flags !== null;
  if (channelId === null) return received;
  return channel !== undefined && (received || !hasProtectedHistory(channel));
}

/**
 * Loads one message that the account can see.
 * @throws ApiError `BAD_REQUEST` if it cannot
 */
export async function requireMessage(
  sql: Sql,
  account: Reader,
  id: number,
): Promise<AccessibleMessage> {
  const message = (await accessMessages(sql, account, [id])).get(id);
  if (!message) throw noSuchMessage();
  return message;
}

/** The error for messages that do not exist and for messages that the account cannot see. */
export function noSuchMessage() {
  return errors.badRequest(
    "There is no such message: the ID must be that of a message that you can see",
  );
}

/** An account that reads messages. */
export type Reader = Pick<Account, "id" | "realmId" | "role" | "isActive">;

/**
 * SQL: whether the viewer, who has a copy of the message `m`, may still read it (messages.md §2.1). A direct message is
 * always readable, a channel message if the viewer may read the content of the channel. `OFFSET 0` keeps the planner from
 * turning the lookup of a window's rows into a join of the whole tables.
 */
export function messageReadable(viewer: Pick<Reader, "id" | "role">): Fragment {
  return (values) => `NOT m.is_channel OR EXISTS (
    SELECT 1 FROM recipients r JOIN channels c ON c.id = r.channel_id
    WHERE r.id = m.recipient_id AND ${channelReadable(viewer)(values)} OFFSET 0)`;
}
