import { type ChannelObject, errors, isGuest } from "@carillon/contract";
import { notNull, type RowOf, type Sql, statement, type Tx, typed } from "@carillon/db";
import { inSlices } from "@carillon/kit";
import {
  accessFactsColumns,
  type Account,
  type Channel,
  channelColumns,
  type ChannelNeed,
  hasContentAccess,
  hasMetadataAccess,
  isPublic,
  loadChannelPresenter,
  loadMemberships,
  loadUserVisibility,
  loadSubscribers,
  noSuchUser,
  type PackedChannel,
  packedChannel,
  requireChannel,
  unpackChannel,
  loadAfter,
} from "@carillon/model";

/** The channels to list: the union of these sets. */
interface ChannelSelection {
  readonly public: boolean;
  readonly subscribed: boolean;
  readonly webPublic: boolean;
  /** Channels whose metadata the account can see. */
  readonly all: boolean;
  /** Channels to which the bot's owner is subscribed. */
  readonly ownerSubscribed: boolean;
  readonly contentAccess: boolean;
  readonly archived: boolean;
  /** Whether to include `is_default`. */
  readonly withDefault: boolean;
}

/** An id that no account has. */
const nobody = 0;

const listed = statement({
  name: "channels-listed",
  text: `SELECT ${packedChannel} AS packed, channel.id IN (SELECT channel_id FROM default_channels) AS "isDefault",
      channel.id IN (SELECT channel_id FROM subscriptions WHERE user_id = $3 AND active) AS "isSubscribed",
      channel.id IN (SELECT channel_id FROM subscriptions WHERE user_id = $4 AND active) AS "isOwnerSubscribed"
    FROM (
      SELECT ${channelColumns} FROM channels c WHERE c.realm_id = $1 AND ($2 OR NOT c.is_archived)
      ORDER BY lower(c.name)
    ) channel`,
  overrides: {
    packed: typed<PackedChannel>(),
    isDefault: notNull,
    isSubscribed: notNull,
    isOwnerSubscribed: notNull,
  },
});

type Flags = Omit<RowOf<typeof listed>, "packed">;

/** Lists the selected channels that the account can see, sorted by name (channels.md §7). */
export async function listChannels(
  sql: Sql,
  account: Account,
  selection: ChannelSelection,
): Promise<ChannelObject[]> {
  const owner = selection.ownerSubscribed && account.isBot ? account.botOwnerId : null;
  const [memberships, rows] = await Promise.all([
    loadMemberships(sql, [account.id]),
    sql.rows(listed, [account.realmId, selection.archived, account.id, owner ?? nobody]),
  ]);
  const isChosen = (channel: Channel, { isSubscribed, isOwnerSubscribed }: Flags): boolean => {
    if ((selection.subscribed && isSubscribed) || isOwnerSubscribed) return true;
    if (selection.public && isPublic(channel) && !isGuest(account)) return true;
    if (selection.webPublic && channel.isWebPublic) return true;
    return (
      (selection.all && hasMetadataAccess(account, channel, memberships, isSubscribed)) ||
      (selection.contentAccess && hasContentAccess(account, channel, memberships, isSubscribed))
    );
  };
  const chosen = await inSlices(rows, ({ packed, ...flags }) => {
    const channel = unpackChannel(packed);
    return isChosen(channel, flags) ? [{ channel, isDefault: flags.isDefault }] : [];
  });
  const channels = chosen.flat();
  const presenter = await loadChannelPresenter(
    sql,
    account.realmId,
    channels.map(({ channel }) => channel),
  );
  return inSlices(channels, ({ channel, isDefault }) => {
    const object = presenter.present(channel);
    return selection.withDefault ? { ...object, is_default: isDefault } : object;
  });
}

const known: ChannelNeed = { access: "metadata", archived: false };

/**
 * Returns one channel in the wire format (channels.md §7).
 * @throws ApiError `BAD_REQUEST` if the viewer cannot see it
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
 * Returns the id of the channel with this name, ignoring case.
 * @throws ApiError `BAD_REQUEST` unless the viewer may read it
 */
export async function readChannelId(tx: Tx, viewer: Account, name: string): Promise<number> {
  const need: ChannelNeed = { access: "content", archived: false };
  return (await requireChannel(tx, viewer, name.trim(), need)).id;
}

/**
 * Returns the ids of the active subscribers, ascending.
 * @throws ApiError `BAD_REQUEST` if the viewer cannot see the channel
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
 * Rejects a request for the channel's e-mail address (channels.md §8), because there is no mail gateway. A gateway
 * would need a mail server, an address with a token for each account and channel, and a conversion of mail to messages.
 * @throws ApiError `BAD_REQUEST`, always; an account that may not read the channel does not learn whether it exists
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
});

/**
 * Whether the account is subscribed; false for deactivated accounts.
 * @throws ApiError `BAD_REQUEST` if the viewer cannot see the account or the channel
 */
export async function readSubscriptionStatus(
  tx: Tx,
  viewer: Account,
  userId: number,
  channelId: number,
): Promise<boolean> {
  const {
    statusRows: [status],
    userVisibility,
  } = await loadAfter(requireChannel(tx, viewer, channelId, known), {
    statusRows: tx.rows(ofAccount, [viewer.realmId, userId, channelId]),
    userVisibility: loadUserVisibility(tx, viewer),
  });
  if (!status || !userVisibility.sees(status)) throw noSuchUser();
  return status.subscribed;
}

const named = statement({
  name: "user-of-channels",
  text: `SELECT id, is_bot AS "isBot" FROM users WHERE realm_id = $1 AND id = $2`,
});

const ofUser = statement({
  name: "channels-of-user",
  text: `SELECT c.id, ${accessFactsColumns},
      EXISTS (SELECT FROM subscriptions own WHERE own.channel_id = c.id AND own.user_id = $3 AND own.active) AS "isViewerSubscribed"
    FROM subscriptions s JOIN channels c ON c.id = s.channel_id
    WHERE s.user_id = $2 AND s.active AND s.is_user_active AND c.realm_id = $1 AND NOT c.is_archived
    ORDER BY c.id`,
});

/**
 * Returns the ids of the channels to which an account is subscribed and that the viewer can see, ascending (channels.md
 * §7); none for deactivated accounts.
 * @throws ApiError `BAD_REQUEST` if the viewer cannot see the account
 */
export async function readChannelsOfUser(
  tx: Tx,
  viewer: Account,
  userId: number,
): Promise<number[]> {
  const [user, channels, memberships, userVisibility] = await Promise.all([
    tx.first(named, [viewer.realmId, userId]),
    tx.rows(ofUser, [viewer.realmId, userId, viewer.id]),
    loadMemberships(tx, [viewer.id]),
    loadUserVisibility(tx, viewer),
  ]);
  if (!user || !userVisibility.sees(user)) throw noSuchUser();
  const known = await inSlices(channels, (channel) =>
    hasMetadataAccess(viewer, channel, memberships, channel.isViewerSubscribed) ? [channel.id] : [],
  );
  return known.flat();
}
