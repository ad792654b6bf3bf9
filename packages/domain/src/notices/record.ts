import { recordIntents, type Tx } from "@carillon/db";
import { sendNotice } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";

import type { Realm } from "../realms/realm.ts";
import type { Account } from "../users/account.ts";

/** More people at once are not told one by one (`max_bulk_new_subscription_messages`). */
export const maxSubscribedNotices = 100;

/**
 * Writes down that new channels are to be announced, where the organization has a channel for that. Private ones
 * are not.
 */
export async function recordAnnouncements(
  tx: Tx,
  realm: Realm,
  actor: Account,
  channels: ReadonlyArray<{ id: number; inviteOnly: boolean }>,
): Promise<void> {
  if (realm.newStreamAnnouncementsChannelId === null) return;
  await recordIntents(
    tx,
    realm.id,
    sendNotice,
    channels
      .filter(({ inviteOnly }) => !inviteOnly)
      .map(({ id }) => ({
        key: `channel-created-${id}`,
        payload: { kind: "channel-created", actorId: actor.id, channelId: id },
      })),
  );
}

/**
 * Writes down that people are to be told of channels that the actor has subscribed them to: each person once for a
 * request.
 * @returns false when there are too many to be told
 */
export async function recordSubscribedNotices(
  tx: Tx,
  realm: Realm,
  actor: Account,
  channelsByUser: ReadonlyMap<number, readonly number[]>,
): Promise<boolean> {
  if (channelsByUser.size > maxSubscribedNotices) return false;
  const request = uniqueId();
  await recordIntents(
    tx,
    realm.id,
    sendNotice,
    [...channelsByUser].map(([userId, channelIds]) => ({
      key: `subscribed-${request}-${userId}`,
      payload: { kind: "subscribed", actorId: actor.id, userId, channelIds: [...channelIds] },
    })),
  );
  return true;
}
