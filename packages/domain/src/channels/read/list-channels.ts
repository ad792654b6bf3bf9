import {
  type Account,
  type Channel,
  type PackedChannel,
  channelColumns,
  hasContentAccess,
  hasMetadataAccess,
  isPublic,
  loadChannelPresenter,
  loadMemberships,
  packedChannel,
  unpackChannel,
} from "@carillon/model";
import { isGuest, type ChannelObject } from "@carillon/contract";
import { column, statement, type RowOf, type Sql } from "@carillon/db";
import { inSlices } from "@carillon/kit";

/** Which channels to list: all of these sets together. */
export interface ChannelSelection {
  readonly public: boolean;
  readonly subscribed: boolean;
  readonly webPublic: boolean;
  /** Every channel whose metadata the account sees. */
  readonly all: boolean;
  /** Those that the owner of a bot is subscribed to. */
  readonly ownerSubscribed: boolean;
  readonly contentAccess: boolean;
  readonly archived: boolean;
  /** Tell which ones are default channels. */
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
  row: {
    packed: column.json<PackedChannel>(),
    isDefault: column.bool,
    isSubscribed: column.bool,
    isOwnerSubscribed: column.bool,
  },
});

type Flags = Omit<RowOf<typeof listed.columns>, "packed">;

/** The channels of the selection that the account may know of, sorted by name (channels.md §7). */
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
