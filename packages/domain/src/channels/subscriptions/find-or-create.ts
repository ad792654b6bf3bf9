import {
  type Account,
  type Channel,
  type Memberships,
  type Realm,
  loadChannels,
  loadChannelsByName,
  loadSubscribedChannels,
  lockChannels,
} from "@carillon/model";
import type { Tx } from "@carillon/db";

import type { CreationOptions } from "../create/creation-options.ts";
import { createMissing } from "../create/create-missing.ts";
import { sortUsable } from "./usable-channels.ts";
import type { CheckedChannel } from "./wanted-channel.ts";

export interface FindOptions extends CreationOptions {
  /** Whether one channel that the actor may not use refuses the whole request. */
  readonly authorizationErrorsFatal: boolean;
  /** Names of further channels that the transaction is going to change: all are locked in one go. */
  readonly andLock?: readonly string[];
}

/** What the names of a request come to. */
export interface FoundChannels {
  /** Those that were there and that the actor may use, each once, locked. */
  readonly usable: readonly Channel[];
  /** The names of those that were there, and that the actor may not use. */
  readonly unauthorized: string[];
  /** Those that there were not. */
  readonly created: readonly Channel[];
  /** The colours that were asked for, by channel. */
  readonly colors: ReadonlyMap<number, string | undefined>;
  /** Ids of the channels that nobody else changes, or even knows, until the transaction ends. */
  readonly locked: ReadonlySet<number>;
}

/**
 * Finds channels by their names, creates those that do not exist (channels.md §8), and locks the others before it looks
 * whether the actor may use them: a transaction that removed the actor, or archived a channel, was waited for. A
 * channel that was renamed meanwhile is still the one that was meant.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function findOrCreate(
  tx: Tx,
  realm: Realm,
  actor: Account,
  memberships: Memberships,
  wanted: readonly CheckedChannel[],
  options: FindOptions,
): Promise<FoundChannels> {
  const { andLock = [], authorizationErrorsFatal: fatal } = options;
  const names = wanted.map(({ name }) => name);
  const named = await loadChannelsByName(tx, realm.id, [...new Set([...names, ...andLock])]);
  const missing = wanted.filter(({ name }) => !named.has(name));
  const created = await createMissing(tx, realm, actor, memberships, missing, options);
  const found = new Map([...named, ...created.raced]);
  const ids = [...new Set([...found.values()].map(({ id }) => id))];
  const [, subscribed, now] = await Promise.all([
    lockChannels(tx, ids),
    loadSubscribedChannels(tx, [actor.id]),
    loadChannels(tx, realm.id, ids),
  ]);
  const there = new Map(
    names.flatMap((name) => {
      const channel = now.get(found.get(name)?.id ?? 0);
      return channel ? [[name, channel] as const] : [];
    }),
  );
  const isSubscribed = (id: number) => subscribed(actor.id, id);
  const known = new Map([...there, ...created.byName]);
  return {
    ...sortUsable(actor, there, memberships, isSubscribed, fatal),
    created: created.channels,
    colors: new Map(
      wanted.flatMap(({ name, color }) => {
        const channel = known.get(name);
        return channel ? [[channel.id, color] as const] : [];
      }),
    ),
    locked: new Set([...ids, ...created.channels.map(({ id }) => id)]),
  };
}
