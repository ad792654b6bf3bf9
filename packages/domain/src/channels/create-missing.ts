import type { Tx } from "@carillon/db";

import type { Memberships } from "../permissions/memberships.ts";
import type { Realm } from "../realms/realm.ts";
import type { Account } from "../users/account.ts";
import { loadChannelsByName, type Channel } from "./channel.ts";
import type { CreationOptions } from "./creation-options.ts";
import { planCreation } from "./plan-creation.ts";

export interface CreatedChannels {
  readonly channels: readonly Channel[];
  /** The same, by the names that were asked for; a name may be there twice in different case. */
  readonly byName: ReadonlyMap<string, Channel>;
  /** Those that another transaction has created in the meantime. */
  readonly raced: ReadonlyMap<string, Channel>;
}

/**
 * Creates the channels that somebody wants to be subscribed to and that do not exist, checked as if each was created
 * on its own (channels.md §4).
 * @param missing names and descriptions, checked
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function createMissing(
  tx: Tx,
  realm: Realm,
  creator: Account,
  memberships: Memberships,
  missing: ReadonlyArray<{ readonly name: string; readonly description: string }>,
  options: CreationOptions,
): Promise<CreatedChannels> {
  const byName = new Map<string, Channel>();
  const raced = new Map<string, Channel>();
  if (missing.length === 0) return { channels: [], byName, raced };
  const plan = await planCreation(tx, realm, creator, options, memberships);
  const authorization = plan.authorize();
  const channels: Channel[] = [];
  for (const { name, description } of missing) {
    if (byName.has(name)) continue;
    const channel = await authorization.insert(name, description);
    if (channel) {
      channels.push(channel);
      byName.set(name, channel);
      continue;
    }
    const found = (await loadChannelsByName(tx, realm.id, [name])).get(name);
    if (!found) throw new Error(`the channel ${name} is neither new nor there`);
    const ours = channels.some(({ id }) => id === found.id);
    (ours ? byName : raced).set(name, found);
  }
  return { channels, byName, raced };
}
