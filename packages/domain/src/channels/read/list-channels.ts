import {
  type Account,
  type Channel,
  channelColumns,
  hasContentAccess,
  hasMetadataAccess,
  isPublic,
  loadChannelPresenter,
  loadMemberships,
  loadSubscribedChannels,
} from "@carillon/model";
import { isGuest, type ChannelObject } from "@carillon/contract";
import type { Sql } from "@carillon/db";
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

/** The channels of the selection that the account may know of, sorted by name (channels.md §7). */
export async function listChannels(
  sql: Sql,
  account: Account,
  selection: ChannelSelection,
): Promise<ChannelObject[]> {
  const memberships = await loadMemberships(sql, [account.id]);
  const owner = selection.ownerSubscribed && account.isBot ? account.botOwnerId : null;
  const isSubscribed = await loadSubscribedChannels(
    sql,
    owner === null ? [account.id] : [account.id, owner],
  );
  const chosen = (channel: Channel): boolean => {
    const subscribed = isSubscribed(account.id, channel.id);
    if (selection.subscribed && subscribed) return true;
    if (selection.all && hasMetadataAccess(account, channel, memberships, subscribed)) return true;
    if (selection.public && isPublic(channel) && !isGuest(account)) return true;
    if (selection.webPublic && channel.isWebPublic) return true;
    if (owner !== null && isSubscribed(owner, channel.id)) return true;
    return selection.contentAccess && hasContentAccess(account, channel, memberships, subscribed);
  };
  const rows = await sql.rows<Channel & { isDefault: boolean }>(
    `SELECT ${channelColumns}, d.channel_id IS NOT NULL AS "isDefault"
     FROM channels c LEFT JOIN default_channels d ON d.channel_id = c.id
     WHERE c.realm_id = $1 AND ($2 OR NOT c.is_archived)
     ORDER BY lower(c.name)`,
    [account.realmId, selection.archived],
  );
  const channels = rows.filter(chosen);
  const presenter = await loadChannelPresenter(sql, account.realmId, channels);
  return inSlices(channels, (channel) => ({
    ...presenter.present(channel),
    ...(selection.withDefault ? { is_default: channel.isDefault } : {}),
  }));
}
