import { type Account, type PublicFacts, type Realm, isPublic } from "@carillon/model";
import { recordIntents } from "@carillon/outbox";
import type { Tx } from "@carillon/db";
import { sendNotice } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";

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
