import {
  type Account,
  type Channel,
  type Memberships,
  type Realm,
  loadChannelsByName,
} from "@carillon/model";
import { bounds, errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";

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
 * on its own (channels.md §4). The number of statements does not grow with theirs.
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
  // Of equal names the first counts.
  const wanted = [
    ...new Map(missing.toReversed().map((each) => [each.name, each])).values(),
  ].reverse();
  if (wanted.length > bounds.newChannels)
    throw errors.badRequest(
      `subscriptions must not name more than ${bounds.newChannels} channels that do not exist in one request`,
    );
  const plan = await planCreation(tx, realm, creator, options, memberships);
  if (plan.groupRows * wanted.length > bounds.rows)
    throw errors.badRequest(
      `Members and subgroups of permissions × new channels must not be more than ${bounds.rows} in one request`,
    );
  const channels = await plan.authorize().insert(wanted);
  const ours = new Map(channels.map((channel) => [channel.id, channel]));
  const named = new Map(channels.map((channel) => [channel.name, channel]));
  for (const { name } of wanted) {
    const channel = named.get(name);
    if (channel) byName.set(name, channel);
  }
  const others = wanted.map(({ name }) => name).filter((name) => !byName.has(name));
  const found =
    others.length > 0 ? await loadChannelsByName(tx, realm.id, others) : new Map<string, Channel>();
  for (const name of others) {
    const channel = found.get(name);
    if (!channel) throw new Error(`the channel ${name} is neither new nor there`);
    const own = ours.get(channel.id);
    if (own) byName.set(name, own);
    else raced.set(name, channel);
  }
  return { channels, byName, raced };
}
