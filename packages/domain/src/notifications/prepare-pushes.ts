import type { Sql, Tx } from "@carillon/db";
import type { PlannedPush, RemovePushesIntent } from "@carillon/jobs";
import type { Site } from "@carillon/model";

import { claimPushes } from "./claim-pushes.ts";
import { loadGroupNames } from "./group-names.ts";
import { messagePayload, type Payload, removalPayload } from "./payloads.ts";
import { loadPushedMessages } from "./pushed-messages.ts";
import { loadPushingRealm } from "./realm-facts.ts";
import { loadTargets, type Target } from "./targets.ts";

/** What one device is told. */
export interface Notification {
  /** Place in the intent's list of what it follows from. */
  readonly entry: number;
  readonly target: Target;
  readonly payload: Payload;
}

/** What one call of the bouncer is to say. */
export interface PreparedCall {
  readonly realmUuid: string;
  /** None where there is nothing to tell any more. */
  readonly notifications: readonly Notification[];
  /** The messages that are pushed by it. */
  readonly pushes: readonly PlannedPush[];
}

/**
 * Claims what is to be pushed, and makes the notifications of it. The statements are sent in one go; each message is read
 * before it is asked whether its receiver sees it, so that nobody gets a text that was written after they lost sight of it.
 */
export async function preparePushes(
  tx: Tx,
  site: Pick<Site, "url">,
  realmId: number,
  pushes: readonly PlannedPush[],
): Promise<PreparedCall> {
  const messageIds = [...new Set(pushes.map(({ messageId }) => messageId))];
  const groupIds = pushes.flatMap(({ groupId }) => (groupId === undefined ? [] : [groupId]));
  const [realm, messages, targets, groups, claimed] = await Promise.all([
    loadPushingRealm(tx, site, realmId),
    loadPushedMessages(tx, realmId, messageIds),
    loadTargets(tx, usersOf(pushes)),
    loadGroupNames(tx, realmId, groupIds),
    claimPushes(tx, realmId, pushes),
  ]);
  const notifications = claimed.flatMap((push) => {
    const message = messages.get(push.messageId);
    if (!message) return [];
    const payload = messagePayload(site.url, realm, message, push, groups.get(push.groupId ?? 0));
    const { entry } = push;
    return (targets.get(push.userId) ?? []).map((target) => ({ entry, target, payload }));
  });
  return { realmUuid: realm.uuid, notifications, pushes: claimed };
}

/** Makes the notifications that take messages off devices. */
export async function prepareRemovals(
  sql: Sql,
  site: Pick<Site, "url">,
  realmId: number,
  removals: RemovePushesIntent["removals"],
): Promise<PreparedCall> {
  const [realm, targets] = await Promise.all([
    loadPushingRealm(sql, site, realmId),
    loadTargets(sql, usersOf(removals)),
  ]);
  const notifications = removals.flatMap(({ userId, messageIds }, entry) => {
    const payload = removalPayload(realm, userId, messageIds);
    return (targets.get(userId) ?? []).map((target) => ({ entry, target, payload }));
  });
  return { realmUuid: realm.uuid, notifications, pushes: [] };
}

function usersOf(of: ReadonlyArray<{ readonly userId: number }>): number[] {
  return [...new Set(of.map(({ userId }) => userId))];
}
