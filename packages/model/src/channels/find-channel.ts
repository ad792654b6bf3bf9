import { errors } from "@carillon/contract";
import { inOneStatement, type Tx } from "@carillon/db";

import { loadMemberships } from "../permissions/memberships.ts";
import type { Account } from "../users/account.ts";
import { hasContentAccess, hasMetadataAccess } from "./access.ts";
import { type Channel, loadChannels, loadChannelsByName } from "./channel.ts";
import { loadSubscribedChannels } from "./subscriptions.ts";

/** What an operation requires of a channel. */
export interface ChannelNeed {
  /** `content` to read its messages; `metadata` to see it. */
  readonly access: "content" | "metadata";
  /** Whether an archived channel is accepted. */
  readonly archived: boolean;
}

/** A channel as a request names it: by id, or by name ignoring case. */
export type ChannelName = number | string;

/**
 * Finds a channel to which the account has the required access. Returns undefined without the access, for an archived
 * channel that is not accepted, and if there is none: accounts cannot tell these apart (channels.md §3). All facts come
 * from one snapshot.
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
 * Finds a channel like {@link findChannel}.
 * @throws ApiError `BAD_REQUEST` if there is none
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

/** The error for channels that do not exist and for channels that the account cannot see. */
export function noSuchChannel(named: ChannelName) {
  return errors.badRequest(
    typeof named === "number"
      ? "There is no such channel: stream_id must be the ID of a channel that you can see"
      : `There is no channel named ${named} that you can see`,
  );
}
