import {
  type Account,
  type ChannelNeed,
  loadChannelPresenter,
  loadSight,
  loadSubscribers,
  noSuchUser,
  requireChannel,
} from "@carillon/model";
import { errors, type ChannelObject } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

const known: ChannelNeed = { access: "metadata", archived: false };

/**
 * One channel as clients see it (channels.md §7).
 * @throws ApiError `BAD_REQUEST` unless the viewer may know of it
 */
export async function readChannel(
  tx: Tx,
  viewer: Account,
  channelId: number,
): Promise<ChannelObject> {
  const channel = await requireChannel(tx, viewer, channelId, known);
  const presenter = await loadChannelPresenter(tx, viewer.realmId, [channel]);
  return presenter.present(channel);
}

/**
 * The id of the channel with this name, whatever its case.
 * @throws ApiError `BAD_REQUEST` unless the viewer may read it
 */
export async function readChannelId(tx: Tx, viewer: Account, name: string): Promise<number> {
  const need: ChannelNeed = { access: "content", archived: false };
  return (await requireChannel(tx, viewer, name.trim(), need)).id;
}

/**
 * Ids of the active accounts that are subscribed, ascending.
 * @throws ApiError `BAD_REQUEST` unless the viewer may know of the channel
 */
export async function readSubscribers(
  tx: Tx,
  viewer: Account,
  channelId: number,
): Promise<number[]> {
  const channel = await requireChannel(tx, viewer, channelId, known);
  return (await loadSubscribers(tx, [channel.id]))(channel.id);
}

/**
 * The address at which mail becomes messages of the channel (channels.md §8). There is no mail gateway yet: for that it
 * takes a server that accepts mail, addresses of a token for each account and channel, and somebody who turns what
 * comes into messages.
 * @throws ApiError `BAD_REQUEST`, always; an account that may not read the channel does not learn that there is one
 */
export async function readEmailAddress(tx: Tx, viewer: Account, channelId: number): Promise<never> {
  await requireChannel(tx, viewer, channelId, { access: "content", archived: false });
  throw errors.badRequest(
    "Channels have no e-mail addresses: this server has no mail gateway that would take the mail",
  );
}

const ofAccount = statement({
  name: "is-subscribed",
  text: `SELECT u.id, u.is_bot AS "isBot", EXISTS (SELECT FROM subscriptions s
      WHERE s.user_id = u.id AND s.channel_id = $3 AND s.active AND s.is_user_active) AS subscribed
    FROM users u WHERE u.realm_id = $1 AND u.id = $2`,
  row: { id: column.int, isBot: column.bool, subscribed: column.bool },
});

/**
 * Whether the account is subscribed; deactivated ones are subscribed to nothing.
 * @throws ApiError `BAD_REQUEST` when the viewer sees no such account, or no channel that the viewer may know of
 */
export async function readSubscriptionStatus(
  tx: Tx,
  viewer: Account,
  userId: number,
  channelId: number,
): Promise<boolean> {
  const [, [status], sight] = await Promise.all([
    requireChannel(tx, viewer, channelId, known),
    tx.rows(ofAccount, [viewer.realmId, userId, channelId]),
    loadSight(tx, viewer),
  ]);
  if (!status || !sight.sees(status)) throw noSuchUser();
  return status.subscribed;
}
