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

/** Records jobs that announce new channels, except private ones, if the organization has an announcement channel. */
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

/** Records a job that announces a new person, if the organization has a channel for such announcements. */
export async function recordSignupNotice(tx: Tx, realm: Realm, { id }: Account): Promise<void> {
  if (realm.signupAnnouncementsChannelId === null) return;
  await recordIntents(tx, realm.id, sendNotice, [
    { key: `signed-up-${id}`, payload: { kind: "signed-up", userId: id } },
  ]);
}

/** Records a job that tells the maker of an invitation that the person has joined. */
export async function recordInvitationAcceptedNotice(
  tx: Tx,
  makerId: number,
  { id, realmId }: Account,
): Promise<void> {
  await recordIntents(tx, realmId, sendNotice, [
    {
      key: `invitation-accepted-${id}`,
      payload: { kind: "invitation-accepted", makerId, userId: id },
    },
  ]);
}

/** Maximum receivers of one job, which is one transaction. */
const membershipNoticesAtOnce = 100;

/**
 * Records jobs that notify people after the actor has added them to a user group or removed them from it. Neither the
 * actor nor bots are notified.
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
    const recipientIds = ids.filter((id) => people.has(id));
    const starts = recipientIds.flatMap((_, i) => (i % membershipNoticesAtOnce === 0 ? [i] : []));
    return starts.map((start) => ({
      key: `group-${change}-${request}-${start}`,
      payload: {
        kind: "group-membership" as const,
        actorId: actor.id,
        groupId,
        userIds: recipientIds.slice(start, start + membershipNoticesAtOnce),
        change,
      },
    }));
  };
  await recordIntents(tx, actor.realmId, sendNotice, [
    ...intents("added", changed.add),
    ...intents("removed", changed.delete),
  ]);
}

/** If more accounts are subscribed at once, none is notified (`max_bulk_new_subscription_messages`). */
export const maxSubscribedNotices = 100;

/** The new subscriptions of a request. */
interface NewlySubscribed {
  readonly principals: ReadonlyArray<Pick<Account, "id" | "isBot">>;
  readonly added: readonly SubscriptionPair[];
  /** Ids of the channels that the request has created. */
  readonly created: ReadonlySet<number>;
}

/**
 * Records jobs that notify people after the actor has subscribed them to existing channels (channels.md §8): one notice
 * for each person.
 * @returns false if too many accounts were subscribed, counting accounts that get no notice
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
    [...channelsByRecipient(actor, subscribed)].map(([userId, channelIds]) => ({
      key: `subscribed-${request}-${userId}`,
      payload: { kind: "subscribed", actorId: actor.id, userId, channelIds: [...channelIds] },
    })),
  );
  return true;
}

/** Returns the people other than the actor, with their new subscriptions to channels that existed before. */
function channelsByRecipient(
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
