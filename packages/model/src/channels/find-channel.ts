import { errors } from "@carillon/contract";
import { inOneStatement, type Tx } from "@carillon/db";

import { loadMemberships } from "../permissions/memberships.ts";
import type { Account } from "../users/account.ts";
import { hasContentAccess, hasMetadataAccess } from "./access.ts";
import { type Channel, loadChannels, loadChannelsByName } from "./channel.ts";
import { loadSubscribedChannels } from "./subscriptions.ts";

/** What an operation needs of a channel. */
export interface ChannelNeed {
  /** `content`: to read its messages; `metadata`: to know of it. */
  readonly access: "content" | "metadata";
  /** Whether an archived one will do. */
  readonly archived: boolean;
}

/** A channel as a request names it: by its id, or by its name in any case. */
export type ChannelName = number | string;

/**
 * The channel, where the account has the access to it that is needed. Undefined where it has not, where the channel
 * is archived against what is needed, and where there is none: nobody can tell these apart (channels.md §3). All that
 * decides is of one moment.
 */
export async function findChannel(
  tx: Tx,
  account: Account,
  named: ChannelName,
  need: ChannelNeed,
): Promise<Channel | undefined> {
  const [found, memberships, subscribed] = await inOneStatement(tx, (one) =>
    Promise.all([
      typeof named === "number"
        ? loadChannels(one, account.realmId, [named])
        : loadChannelsByName(one, account.realmId, [named]),
      loadMemberships(one, [account.id]),
      loadSubscribedChannels(one, [account.id]),
    ]),
  );
  const [channel] = found.values();
  if (!channel || (channel.isArchived && !need.archived)) return undefined;
  const hasAccess = need.access === "content" ? hasContentAccess : hasMetadataAccess;
  return hasAccess(account, channel, memberships, subscribed(account.id, channel.id))
    ? channel
    : undefined;
}

/**
 * The same for operations that need one.
 * @throws ApiError `BAD_REQUEST`
 */
export async function requireChannel(
  tx: Tx,
  account: Account,
  named: ChannelName,
  need: ChannelNeed,
): Promise<Channel> {
  const channel = await findChannel(tx, account, named, need);
  if (!channel) throw noSuchChannel(named);
  return channel;
}

/** The one answer for channels that are not there and for those that the account does not see. */
export function noSuchChannel(named: ChannelName) {
  return errors.badRequest(
    typeof named === "number"
      ? "There is no such channel: stream_id must be the ID of one that you see"
      : `There is no channel named ${named} that you see`,
  );
}
