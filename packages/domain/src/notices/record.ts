import type { Tx } from "@carillon/db";
import { sendNotice } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";
import {
  type Account,
  isPublic,
  type PublicFacts,
  type Realm,
  type SubscriptionPair,
} from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

/**
 * Writes down that new channels are to be announced, where the organization has a channel for that. Private ones
 * are not.
 */
export async function recordAnnouncements(
  tx: Tx,
  realm: Realm,
  actor: Account,
  channels: ReadonlyArray<PublicFacts & { id: number }>,
): Promise<void> {
  if (realm.newStreamAnnouncementsChannelId === null) return;
  await recordIntents(
    tx,
    realm.id,
    sendNotice,
    channels.filter(isPublic).map(({ id }) => ({
      key: `channel-created-${id}`,
      payload: { kind: "channel-created", actorId: actor.id, channelId: id },
    })),
  );
}

/** So many people are told in one job, which is one transaction. */
const membershipNoticesAtOnce = 100;

/**
 * Writes down that people are to be told that the actor has added them to a user group or removed them: for each
 * change once. Neither the actor nor bots are told.
 */
export async function recordMembershipNotices(
  tx: Tx,
  actor: Account,
  groupId: number,
  accounts: ReadonlyArray<{ readonly id: number; readonly isBot: boolean }>,
  changed: { readonly add: readonly number[]; readonly delete: readonly number[] },
): Promise<void> {
  const people = new Set(
    accounts.filter(({ id, isBot }) => !isBot && id !== actor.id).map(({ id }) => id),
  );
  const request = uniqueId();
  const intents = (change: "added" | "removed", ids: readonly number[]) => {
    const told = ids.filter((id) => people.has(id));
    const starts = told.flatMap((_, i) => (i % membershipNoticesAtOnce === 0 ? [i] : []));
    return starts.map((start) => ({
      key: `group-${change}-${request}-${start}`,
      payload: {
        kind: "group-membership" as const,
        actorId: actor.id,
        groupId,
        userIds: told.slice(start, start + membershipNoticesAtOnce),
        change,
      },
    }));
  };
  await recordIntents(tx, actor.realmId, sendNotice, [
    ...intents("added", changed.add),
    ...intents("removed", changed.delete),
  ]);
}

/** Where more accounts are subscribed at once nobody is told (`max_bulk_new_subscription_messages`). */
export const maxSubscribedNotices = 100;

/** What a request has subscribed whom to. */
interface NewlySubscribed {
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
