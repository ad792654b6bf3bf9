import { isOwner, type NewEvent } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  loadAfter,
  lockAccount,
  lockAccountWithBots,
  lockChannelsOf,
  lockGroupGraph,
  lockOwnerSet,
  noSuchUser,
} from "@carillon/model";

import { type MessagesToDelete, recordDeletions } from "../deletion/record-deletions.ts";
import { deactivateAccount } from "./deactivate-account.ts";
import { type DeactivationNote, recordDeactivationMail } from "./deactivation-mail.ts";

/** The actor of a deactivation. */
export interface Deactivator {
  readonly realmId: number;
  /** For the audit log; null for an operator. */
  readonly id: number | null;
  /** Throws an `ApiError` unless the account, read under the lock, may be deactivated. */
  authorize(tx: Tx, user: Account): Promise<void>;
}

/** Which data of a person and of their bots to delete. */
export interface WantedDeletions {
  readonly profile: boolean;
  readonly messages: MessagesToDelete;
  /** Names of the actions in the wire format, for the audit log. */
  readonly names: readonly string[];
}

/** Options of a deactivation. */
interface Deactivation {
  /** Note of the mail to the user; undefined for no mail. */
  readonly note?: DeactivationNote | undefined;
  /** Undefined to delete nothing, as always for an operator. */
  readonly deletes?: WantedDeletions | undefined;
}

/**
 * Deactivates a person (users.md §4): first their active bots, each in its own transaction, then the person with any
 * bots created meanwhile. When it returns, all their keys are rejected. If interrupted, it leaves some bots inactive
 * and the person active, and can be repeated.
 * @throws ApiError what the actor's `authorize` throws, and `BAD_REQUEST` if there is no such account
 */
export async function deactivateWithBots(
  db: Database,
  actor: Deactivator,
  userId: number,
  { note, deletes }: Deactivation,
): Promise<void> {
  const { realmId } = actor;
  const actions = deletes?.names.length ? { actions: deletes.names } : {};
  const deactivateOne = (tx: Tx, account: Account, more: object = {}) =>
    deactivateAccount(tx, actor.id, account, {
      deletesProfile: deletes?.profile ?? false,
      note: { ...(account.id === userId ? {} : { owner_id: userId }), ...more, ...actions },
    });
  const deleteMessages = async (tx: Tx, accounts: readonly Account[]) => {
    const ids = accounts.map(({ id }) => id);
    if (deletes && actor.id !== null)
      await recordDeletions(tx, realmId, actor.id, ids, deletes.messages);
  };
  const botIds = await db.transaction(async (tx) => {
    const { bots } = await lockAndAuthorize(tx, actor, userId);
    return bots.map(({ id }) => id);
  });
  for (const botId of botIds)
    await db.transaction(async (tx) => {
      const { bot } = await loadAfter(lockGroupGraph(tx, realmId), {
        bot: lockAccount(tx, realmId, botId),
      });
      // Another request may have deactivated the bot or changed its owner.
      if (!bot?.isActive || bot.botOwnerId !== userId) return;
      const { events } = await deactivateOne(tx, bot);
      await deleteMessages(tx, [bot]);
      emit(tx, realmId, events);
    });
  await db.transaction(async (tx) => {
    const { user, bots } = await lockAndAuthorize(tx, actor, userId);
    if (bots.length > 0) await lockChannelsOf(tx, [user, ...bots]);
    const events: NewEvent[] = [];
    for (const bot of bots) events.push(...(await deactivateOne(tx, bot)).events);
    const deactivated = await deactivateOne(tx, user, note);
    await deleteMessages(tx, [...bots, user]);
    if (note) await recordDeactivationMail(tx, realmId, deactivated.auditId);
    emit(tx, realmId, [...events, ...deactivated.events]);
  });
}

/**
 * Locks a person and their active bots and authorizes the deactivation. No new bot of theirs can appear until the
 * transaction ends. For an owner, it locks the set of owners too.
 * @throws ApiError
 */
async function lockAndAuthorize(
  tx: Tx,
  actor: Deactivator,
  userId: number,
): Promise<{ user: Account; bots: Account[] }> {
  const {
    found: { account: user, bots },
  } = await loadAfter(lockGroupGraph(tx, actor.realmId), {
    found: lockAccountWithBots(tx, actor.realmId, userId),
  });
  if (!user) throw noSuchUser();
  if (isOwner(user)) await lockOwnerSet(tx, user.realmId);
  await actor.authorize(tx, user);
  return { user, bots: bots.filter(({ isActive }) => isActive) };
}
