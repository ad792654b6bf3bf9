import type { Account, Realm, SubscriptionPair } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";
import type { Tx } from "@carillon/db";
import { sendNotice } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";

/** Where more accounts are subscribed at once nobody is told (`max_bulk_new_subscription_messages`). */
export const maxSubscribedNotices = 100;

/** What a request has subscribed whom to. */
export interface NewlySubscribed {
  readonly principals: ReadonlyArray<Pick<Account, "id" | "isBot">>;
  readonly added: readonly SubscriptionPair[];
  /** Ids of the channels that it has made. */
  readonly created: ReadonlySet<number>;
}

/**
 * Writes down that people are to be told of channels that the actor has subscribed them to and that existed before
 * (channels.md §8): each person once for a request.
 * @returns false when too many accounts were subscribed, those who are not told among them
 */
export async function recordSubscribedNotices(
  tx: Tx,
  realm: Realm,
  actor: Account,
  subscribed: NewlySubscribed,
): Promise<boolean> {
  const accounts = new Set(subscribed.added.map(({ userId }) => userId));
  if (accounts.size > maxSubscribedNotices) return false;
  const request = uniqueId();
  await recordIntents(
    tx,
    realm.id,
    sendNotice,
    [...toBeTold(actor, subscribed)].map(([userId, channelIds]) => ({
      key: `subscribed-${request}-${userId}`,
      payload: { kind: "subscribed", actorId: actor.id, userId, channelIds: [...channelIds] },
    })),
  );
  return true;
}

/** People other than the actor, with the channels that they were subscribed to and that existed before. */
function toBeTold(
  actor: Account,
  { principals, added, created }: NewlySubscribed,
): Map<number, number[]> {
  const people = new Set(
    principals.filter(({ id, isBot }) => !isBot && id !== actor.id).map(({ id }) => id),
  );
  const channelsByUser = new Map<number, number[]>();
  for (const { userId, channelId } of added) {
    if (!people.has(userId) || created.has(channelId)) continue;
    const list = channelsByUser.get(userId);
    if (list) list.push(channelId);
    else channelsByUser.set(userId, [channelId]);
  }
  return channelsByUser;
}
