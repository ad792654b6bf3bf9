import {
  type Audience,
  type LoggedFields,
  type NewEvent,
  peersAdded,
  peersRemoved,
} from "@carillon/contract";
import type { MetadataAudiences, SubscriptionPair } from "@carillon/model";

/** What else the log keeps of peers. */
type PeerMarks = Pick<LoggedFields<typeof peersAdded>, "archived" | "for_clients_without">;

/** Accounts that were subscribed to channels, or unsubscribed from them. */
export interface Peers {
  readonly stream_ids: readonly number[];
  readonly user_ids: readonly number[];
}

/**
 * What others are told when accounts are subscribed or unsubscribed (channels.md §10): one event for all channels
 * with the same audience, which queues get as one for each set of accounts; never the accounts themselves. Who comes
 * gets the others with the subscription; who goes together with others is told of these, where the channel still shows.
 * @param archived which channels are, where some may be
 */
export function peerEvents(
  op: "peer_add" | "peer_remove",
  changed: readonly SubscriptionPair[],
  audiences: MetadataAudiences,
  { archived = [] }: Pick<PeerMarks, "archived"> = {},
): NewEvent[] {
  const areArchived = new Set(archived);
  const usersOf = new Map<number, number[]>();
  for (const { channelId, userId } of changed) {
    const users = usersOf.get(channelId);
    if (users) users.push(userId);
    else usersOf.set(channelId, [userId]);
  }
  const batches = new Map<ReadonlySet<number>, Map<string, Batch>>();
  for (const [channelId, ids] of usersOf) {
    const user_ids = ids.sort((a, b) => a - b);
    const audience = audiences.get(channelId) ?? new Set<number>();
    const byUsers = batches.get(audience) ?? new Map<string, Batch>();
    batches.set(audience, byUsers);
    const key = user_ids.join(",");
    const batch = byUsers.get(key);
    if (batch) batch.stream_ids.push(channelId);
    else byUsers.set(key, { stream_ids: [channelId], user_ids });
  }
  return [...batches].flatMap(([audience, byUsers]) =>
    peersEvent(
      op,
      audience,
      [...byUsers.values()].map(({ stream_ids, user_ids }) => ({
        stream_ids: stream_ids.sort((a, b) => a - b),
        user_ids,
      })),
      areArchived,
    ),
  );
}

interface Batch extends Peers {
  readonly stream_ids: number[];
}

function peersEvent(
  op: "peer_add" | "peer_remove",
  audience: ReadonlySet<number>,
  [first, ...others]: readonly Peers[],
  archived: ReadonlySet<number>,
): NewEvent[] {
  if (!first) return [];
  const altered = new Set(first.user_ids);
  // With several batches, who is altered in one is told of the others, and those who go of each other: the poll sorts
  // that out.
  const isForAltered = others.length > 0 || (op === "peer_remove" && altered.size > 1);
  const told = isForAltered ? [...audience] : [...audience].filter((id) => !altered.has(id));
  if (told.length === 0) return [];
  const event = op === "peer_add" ? peersAdded : peersRemoved;
  const payload = isForAltered ? { peers: [first, ...others] } : first;
  const marks = archivedIn([first, ...others], archived);
  return [event({ ...payload, ...marks }, { audience: told })];
}

/** Those of the archived channels that the event is about. */
function archivedIn(peers: readonly Peers[], archived: ReadonlySet<number>): PeerMarks {
  const ids = peers.flatMap(({ stream_ids }) => stream_ids.filter((id) => archived.has(id)));
  return ids.length > 0 ? { archived: ids } : {};
}

/** Who is subscribed to channels, for accounts that have come to see these. */
export function peersShownEvent(peers: Peers, audience: Audience, marks: PeerMarks = {}): NewEvent {
  const { archived = [], ...others } = marks;
  return peersAdded(
    { ...peers, ...others, ...archivedIn([peers], new Set(archived)) },
    { audience },
  );
}
