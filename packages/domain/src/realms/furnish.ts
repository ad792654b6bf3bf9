import {
  type Account,
  type Realm,
  defaultGroups,
  groupIds,
  loadSystemGroups,
  subscribe,
} from "@carillon/model";
import { channelPermissions } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { insertChannel } from "../channels/create/insert-channel.ts";
import { welcome } from "../notices/welcome.ts";

/** The channel that everybody is in. */
const firstChannelName = "general";

/**
 * Gives a new organization its first channel, with everybody in it, which new members are subscribed to as well, and
 * welcomes the people. Nobody listens yet.
 * @returns the channel's id
 */
export async function furnish(tx: Tx, realm: Realm, members: readonly Account[]): Promise<number> {
  const groups = groupIds(defaultGroups(channelPermissions, await loadSystemGroups(tx, realm.id)));
  const channel = await insertChannel(tx, realm.id, {
    name: firstChannelName,
    creatorId: null,
    groups,
    isDefault: true,
  });
  if (!channel) throw new Error("a new organization has no channels");
  await subscribe(
    tx,
    [{ channelId: channel.id }],
    members.map(({ id }) => id),
  );
  await welcome(
    tx,
    realm,
    members.filter(({ isBot }) => !isBot),
  );
  return channel.id;
}
