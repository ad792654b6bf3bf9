import { errors } from "@carillon/contract";
import { type Account, type Members, notSeeingAmong, switchSql } from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";

const senders = {
  direct: statement({
    name: "tells-direct-typing",
    text: `SELECT ${switchSql("send_private_typing_notifications")} AS tells FROM users u WHERE u.id = $1`,
    row: { tells: column.bool },
  }),
  channel: statement({
    name: "tells-channel-typing",
    text: `SELECT ${switchSql("send_stream_typing_notifications")} AS tells FROM users u WHERE u.id = $1`,
    row: { tells: column.bool },
  }),
};

/** Channels with more subscribers are told nothing. */
export const maxSubscribers = 100;

/**
 * Refuses an account that does not want others to be told that it is typing.
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkTellsTyping(
  sql: Sql,
  account: Account,
  where: "channel" | "direct",
): Promise<void> {
  const [row] = await sql.rows(senders[where], [account.id]);
  if (row?.tells !== true)
    throw errors.badRequest(`Your settings keep your typing in ${where} messages to yourself`);
}

const wantIt = switchSql("receives_typing_notifications");

const inChannel = statement({
  name: "channel-typing-receivers",
  text: `SELECT u.id FROM subscriptions s JOIN users u ON u.id = s.user_id
    WHERE s.channel_id = $1 AND s.active AND s.is_user_active AND ${wantIt} ORDER BY u.id`,
  row: { id: column.int },
});

/** The channel's subscribers who want to be told of typing, and see who types, ascending. */
export async function channelReceiversOf(
  sql: Sql,
  sender: Account,
  channelId: number,
): Promise<number[]> {
  const rows = await sql.rows(inChannel, [channelId]);
  const ids = rows.map(({ id }) => id);
  const blind = await notSeeingAmong(sql, sender, ids);
  return ids.filter((id) => !blind.has(id));
}

const inConversation = statement({
  name: "direct-typing-receivers",
  text: `SELECT u.id FROM users u
    WHERE u.realm_id = $1 AND u.id = ANY($2::int[]) AND u.is_active AND ${wantIt} ORDER BY u.id`,
  row: { id: column.int },
});

/** The conversation's active participants who want to be told of typing, the sender among them, ascending. */
export async function directReceivers(
  sql: Sql,
  realmId: number,
  members: Members,
): Promise<number[]> {
  const rows = await sql.rows(inConversation, [realmId, members]);
  return rows.map(({ id }) => id);
}
