import type { NewEvent } from "@carillon/events";

import type { MetadataAudiences } from "./metadata-audience.ts";
import type { SubscriptionPair } from "./subscribe.ts";

/**
 * What others are told when accounts are subscribed or unsubscribed (channels.md §10): one event for all channels
 * with the same audience and the same accounts, never to the accounts themselves.
 */
export function peerEvents(
  op: "peer_add" | "peer_remove",
  changed: readonly SubscriptionPair[],
  audiences: MetadataAudiences,
): NewEvent[] {
  const usersOf = new Map<number, number[]>();
  for (const { channelId, userId } of changed) {
    const users = usersOf.get(channelId);
    if (users) users.push(userId);
    else usersOf.set(channelId, [userId]);
  }
  const batches = new Map<
    ReadonlySet<number>,
    Map<string, { channels: number[]; users: number[] }>
  >();
  for (const [channelId, ids] of usersOf) {
    const users = ids.sort((a, b) => a - b);
    const audience = audiences.get(channelId) ?? new Set<number>();
    const byUsers =
      batches.get(audience) ?? new Map<string, { channels: number[]; users: number[] }>();
    batches.set(audience, byUsers);
    const key = users.join(",");
    const batch = byUsers.get(key);
    if (batch) batch.channels.push(channelId);
    else byUsers.set(key, { channels: [channelId], users });
  }
  return [...batches].flatMap(([audience, byUsers]) =>
    [...byUsers.values()].flatMap(({ channels, users }) => {
      const altered = new Set(users);
      const peers = [...audience].filter((id) => !altered.has(id));
      const payload = { stream_ids: channels.sort((a, b) => a - b), user_ids: users };
      return peers.length > 0 ? [{ type: "subscription", op, payload, audience: peers }] : [];
    }),
  );
}
