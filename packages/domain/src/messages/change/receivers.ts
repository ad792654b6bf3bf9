import { column, statement, type Tx } from "@carillon/db";
import { hasProtectedHistory } from "@carillon/model";

import { changesChannel, type Move } from "./check-move.ts";
import { heldAlike, interestedIn } from "./holders.ts";
import type { HeldChange } from "./lock-change.ts";
import type { Places } from "../removal/places.ts";

/** Messages of one change that the same people are told of. */
export interface ToldAlike {
  /** Ascending. */
  readonly ids: readonly number[];
  /** Who could see them, still can, and has a copy or is subscribed; ascending. */
  readonly told: readonly number[];
  /** Who could see them and cannot any more; ascending. */
  readonly losing: readonly number[];
}

/**
 * Who is told of messages that are moved (messages.md §6.2), as it is before they are. Of history that is shared all of
 * them are told together; of protected history each is for those who have it.
 */
export async function loadReceivers(
  tx: Tx,
  { actor, ids }: HeldChange,
  { readers }: Places,
  move: Move,
): Promise<ToldAlike[]> {
  const { channel } = move.from;
  const elsewhere = changesChannel(move) ? move.to.channel : undefined;
  const before = among(readers.get(channel.id));
  const after = elsewhere ? among(await readersOfMoved(tx, readers, elsewhere)) : before;
  if (hasProtectedHistory(channel)) {
    const groups = await heldAlike(tx, channel.id, ids);
    return groups.map((group) => {
      const seeing = group.holderIds.filter(before);
      return { ids: group.ids, told: seeing.filter(after), losing: without(seeing, after) };
    });
  }
  const places = elsewhere ? [channel.id, elsewhere.id] : [channel.id];
  const interested = await interestedIn(tx, places, { channelId: channel.id, ids });
  const losing =
    elsewhere && after !== everybody
      ? without(readers.get(channel.id) ?? (await activeAccounts(tx, actor.realmId)), after)
      : [];
  return [{ ids, told: interested.filter((id) => before(id) && after(id)), losing }];
}

type Filter = (id: number) => boolean;

const everybody: Filter = () => true;

function among(ids: readonly number[] | undefined): Filter {
  if (!ids) return everybody;
  const set = new Set(ids);
  return (id) => set.has(id);
}

function without(ids: readonly number[], taken: Filter): number[] {
  return ids.filter((id) => !taken(id));
}

const subscribers = statement({
  name: "subscribers-who-receive",
  text: `SELECT coalesce(array_agg(user_id), '{}') AS ids FROM subscriptions
    WHERE channel_id = $1 AND active AND is_user_active`,
  row: { ids: column.ints },
});

/** Who can see messages that come to the channel: all subscribers of protected history get copies. */
async function readersOfMoved(
  tx: Tx,
  readers: Places["readers"],
  channel: Move["to"]["channel"],
): Promise<readonly number[] | undefined> {
  if (!hasProtectedHistory(channel)) return readers.get(channel.id);
  const row = await tx.first(subscribers, [channel.id]);
  return row?.ids ?? [];
}

const active = statement({
  name: "accounts-that-read",
  text: `SELECT coalesce(array_agg(id ORDER BY id), '{}') AS ids FROM users
    WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL`,
  row: { ids: column.ints },
});

async function activeAccounts(tx: Tx, realmId: number): Promise<readonly number[]> {
  const row = await tx.first(active, [realmId]);
  return row?.ids ?? [];
}
