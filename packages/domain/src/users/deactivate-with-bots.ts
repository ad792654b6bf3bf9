import {
  type Account,
  currentActor,
  lockGroupGraph,
  lockAccount,
  lockAccountWithBots,
  lockChannelsOf,
  lockOwnerSet,
  noSuchUser,
} from "@carillon/model";
import { type NewEvent, isOwner } from "@carillon/contract";
import { recordIntents, type Database, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { sendMail } from "@carillon/jobs";

import { deactivateAccount } from "./deactivate-account.ts";
import type { DeactivationNote } from "./deactivation-mail.ts";

/** Whether the actor may deactivate the account, both as they are by now. @throws ApiError */
export type MayGo = (tx: Tx, actor: Account, user: Account) => Promise<void>;

/**
 * Deactivates a person (users.md §4): their active bots first, each in a transaction of its own, then the person, with
 * whatever bot has come meanwhile. When it returns, every key of theirs is refused. Cut short, it leaves bots inactive
 * and the person active, and can be repeated.
 * @param note what the user is told by mail; nothing unless given
 * @throws ApiError what `check` does, and `BAD_REQUEST` where there is no such account
 */
export async function deactivateWithBots(
  db: Database,
  actor: Account,
  userId: number,
  { check, note }: { readonly check: MayGo; readonly note?: DeactivationNote | undefined },
): Promise<void> {
  const botIds = await db.transaction(async (tx) => {
    const { bots } = await openUser(tx, actor, userId, check);
    return bots.map(({ id }) => id);
  });
  for (const botId of botIds)
    await db.transaction(async (tx) => {
      const [, bot] = await Promise.all([
        lockGroupGraph(tx, actor.realmId),
        lockAccount(tx, actor.realmId, botId),
      ]);
      // Somebody else may have deactivated it, or have become its owner.
      if (!bot?.isActive || bot.botOwnerId !== userId) return;
      const { events } = await deactivateAccount(tx, actor.id, bot, { owner_id: userId });
      emit(tx, actor.realmId, events);
    });
  await db.transaction(async (tx) => {
    const { user, bots } = await openUser(tx, actor, userId, check);
    if (bots.length > 0) await lockChannelsOf(tx, [user, ...bots]);
    const events: NewEvent[] = [];
    for (const bot of bots)
      events.push(...(await deactivateAccount(tx, actor.id, bot, { owner_id: userId })).events);
    const gone = await deactivateAccount(tx, actor.id, user, note);
    emit(tx, actor.realmId, [...events, ...gone.events]);
    if (note)
      await recordIntents(tx, actor.realmId, sendMail, [
        {
          key: `account-deactivated-${gone.auditId}`,
          payload: { kind: "account-deactivated", auditId: gone.auditId },
        },
      ]);
  });
}

/**
 * The person in the hands of the transaction, with everything checked, and their active bots: none can come any more.
 * An owner who goes keeps others from going.
 * @throws ApiError
 */
async function openUser(
  tx: Tx,
  actor: Account,
  userId: number,
  check: MayGo,
): Promise<{ user: Account; bots: Account[] }> {
  const [, { account: user, bots }] = await Promise.all([
    lockGroupGraph(tx, actor.realmId),
    lockAccountWithBots(tx, actor.realmId, userId),
  ]);
  if (!user) throw noSuchUser();
  const [, now] = await Promise.all([
    isOwner(user) ? lockOwnerSet(tx, user.realmId) : undefined,
    // A bot that deactivates its own owner is gone by then.
    actor.botOwnerId === userId ? actor : currentActor(tx, actor),
  ]);
  await check(tx, now, user);
  return { user, bots: bots.filter(({ isActive }) => isActive) };
}
