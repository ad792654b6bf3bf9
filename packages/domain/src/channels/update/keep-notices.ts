import { keepIntent } from "@carillon/outbox";
import type { Tx } from "@carillon/db";
import { type IntentRef, sendNotice } from "@carillon/jobs";
import { uniqueId } from "@carillon/kit";

import type { OpenChannel } from "../rights/open-channel.ts";
import type { CheckedChanges } from "./apply-changes.ts";
import { noticed } from "./change-notices.ts";

/**
 * Writes down that the notification bot is to tell in the channel what has changed (channels.md §9).
 * @param auditIds where the audit log tells it
 * @returns undefined where the bot has nothing to say
 */
export async function keepNotices(
  tx: Tx,
  { actor, channel, realm }: OpenChannel,
  { next, properties, settings }: CheckedChanges,
  auditIds: readonly number[],
): Promise<IntentRef | undefined> {
  const tells = [...properties, ...settings].some(({ name }) => noticed.has(name));
  if (!realm.sendChannelEventsMessages || !tells) return undefined;
  const { inviteOnly, isWebPublic, historyPublicToSubscribers } = next;
  return keepIntent(tx, realm.id, sendNotice, {
    key: `channel-changed-${uniqueId()}`,
    payload: {
      kind: "channel-changed",
      actorId: actor.id,
      channelId: channel.id,
      auditIds: [...auditIds],
      privacy: { inviteOnly, isWebPublic, historyPublicToSubscribers },
    },
  });
}
