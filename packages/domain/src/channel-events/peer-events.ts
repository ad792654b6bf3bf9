import {
  type Audience,
  type LoggedFields,
  type NewEvent,
  peersAdded,
  peersRemoved,
} from "@carillon/contract";
import type { MetadataAudiences, SubscriptionPair } from "@carillon/model";

/** Further fields of peer events in the log. */
type PeerMarks = Pick<LoggedFields<typeof peersAdded>, "archived" | "for_clients_without">;

/** Accounts that were subscribed to channels, or unsubscribed from them. */
interface Peers {
  readonly stream_ids: readonly number[];
  readonly user_ids: readonly number[];
}

/**
 * Makes the peer events for other accounts when accounts are subscribed or unsubscribed (channels.md §10): one logged event
 * for all channels with the same audience, from which a queue gets one event for each set of accounts. Accounts never
 * receive events about themselves, and new subscribers get the other subscribers with their subscription. Accounts
 * unsubscribed together get the events about each other, if they can still see the channel.
 * @param archived ids of the archived channels
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
  // With several batches, an account changed in one batch must learn of the other batches; accounts unsubscribed
  // together must learn of each other. The poll filters each account's own changes out.
  const isForAltered = others.length > 0 || (op === "peer_remove" && altered.size > 1);
  const visibleTo = isForAltered ? [...audience] : [...audience].filter((id) => !altered.has(id));
  if (visibleTo.length === 0) return [];
  const event = op === "peer_add" ? peersAdded : peersRemoved;
  const payload = isForAltered ? { peers: [first, ...others] } : first;
  const marks = archivedIn([first, ...others], archived);
  return [event({ ...payload, ...marks }, { audience: visibleTo })];
}

/** Returns the archived channels that the event refers to. */
function archivedIn(peers: readonly Peers[], archived: ReadonlySet<number>): PeerMarks {
  const ids = peers.flatMap(({ stream_ids }) => stream_ids.filter((id) => archived.has(id)));
  return ids.length > 0 ? { archived: ids } : {};
}

/** Makes the event with the subscribers of channels, for accounts that can now see the channels. */
export function peersShownEvent(peers: Peers, audience: Audience, marks: PeerMarks = {}): NewEvent {
  const { archived = [], ...others } = marks;
  return peersAdded(
    { ...peers, ...others, ...archivedIn([peers], new Set(archived)) },
    { audience },
  );
}
