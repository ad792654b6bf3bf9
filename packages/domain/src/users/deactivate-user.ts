import {
  type Account,
  checkAdministers,
  checkOwnerRemains,
  currentActor,
  lockGroupGraph,
  lockAccount,
  lockAccountWithBots,
  lockChannelsOf,
  lockOwnerSet,
  noSuchUser,
} from "@carillon/model";
import { type NewEvent, errors, isOwner } from "@carillon/contract";
import { recordIntents, type Database, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { sendMail } from "@carillon/jobs";
import { isLongerThan } from "@carillon/kit";

import { deactivateAccount } from "./deactivate-account.ts";
import type { DeactivationNote } from "./deactivation-mail.ts";

/** What an administrator wants beside the deactivation. */
export interface DeactivationOptions {
  /** What to delete of the user, by its name on the wire. */
  readonly actions?: Readonly<Record<string, boolean>> | undefined;
  /** For the user's mail; undefined where none is wanted, blank for one without a comment. */
  readonly comment?: string | undefined;
}

/** Code points of a comment. */
const maxComment = 2_000;

/**
 * Deactivates a person on behalf of an administrator (users.md §4): their active bots first, each in a transaction of
 * its own, then the person, with whatever bot has come meanwhile. When it returns, every key of theirs is refused.
 * Cut short, it leaves bots inactive and the person active, and can be repeated.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function deactivateUser(
  db: Database,
  actor: Account,
  userId: number,
  options: DeactivationOptions,
): Promise<void> {
  checkActions(options.actions ?? {});
  const note = checkComment(options.comment);
  const botIds = await db.transaction(async (tx) => {
    const { bots } = await openUser(tx, actor, userId);
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
    const { user, bots } = await openUser(tx, actor, userId);
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

/** @throws ApiError `BAD_REQUEST` */
function checkActions(actions: Readonly<Record<string, boolean>>): void {
  const wanted = Object.keys(actions).find((name) => actions[name]);
  if (wanted !== undefined)
    throw errors.badRequest(
      `This server cannot do ${wanted} yet: leave it out to deactivate the user without`,
    );
}

/** @returns what the audit log keeps of it; undefined where nobody wants the user told */
function checkComment(text: string | undefined): DeactivationNote | undefined {
  if (text === undefined) return undefined;
  const comment = text.trim();
  if (isLongerThan(comment, maxComment))
    throw errors.badRequest(
      `deactivation_notification_comment must not have more than ${maxComment} characters`,
    );
  return { notification_comment: comment };
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
  if (user.isBot) throw errors.badRequest("This is a bot: use DELETE /bots/{bot_id}");
  if (!user.isActive) throw errors.badRequest("The user is already deactivated");
  checkAdministers(now, user);
  if (isOwner(user) && !isOwner(now))
    throw errors.unauthorizedPrincipal("Only owners can deactivate an owner");
  await checkOwnerRemains(tx, user);
  return { user, bots: bots.filter(({ isActive }) => isActive) };
}
