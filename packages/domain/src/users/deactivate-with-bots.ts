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
import type { Database, Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { recordDeletions, type MessagesToDelete } from "../deletion/record-deletions.ts";
import { deactivateAccount } from "./deactivate-account.ts";
import { recordDeactivationMail, type DeactivationNote } from "./deactivation-mail.ts";

/** Who deactivates. */
export interface Deactivator {
  readonly realmId: number;
  /** For the audit log; null for an operator. */
  readonly id: number | null;
  /** Whether the account, as it is by now, may be deactivated. @throws ApiError */
  check(tx: Tx, user: Account): Promise<void>;
}

/**
 * An account that deactivates another one, or itself.
 * @param check whether the actor may, both as they are by now
 */
export function byAccount(
  actor: Account,
  check: (tx: Tx, actor: Account, user: Account) => Promise<void>,
): Deactivator {
  return {
    realmId: actor.realmId,
    id: actor.id,
    async check(tx, user) {
      // A bot that deactivates its own owner is gone by then.
      const now = actor.botOwnerId === user.id ? actor : await currentActor(tx, actor);
      await check(tx, now, user);
    },
  };
}

/** What is to be deleted of a person and of their bots. */
export interface WantedDeletions {
  readonly profile: boolean;
  readonly messages: MessagesToDelete;
  /** What that is called on the wire, for the audit log. */
  readonly names: readonly string[];
}

/** What is wanted beside the deactivation. */
export interface Deactivation {
  /** What the user is told by mail; nothing unless given. */
  readonly note?: DeactivationNote | undefined;
  /** Nothing unless given, and nothing for an operator. */
  readonly deletes?: WantedDeletions | undefined;
}

/**
 * Deactivates a person (users.md §4): their active bots first, each in a transaction of its own, then the person, with
 * whatever bot has come meanwhile. When it returns, every key of theirs is refused. Cut short, it leaves bots inactive
 * and the person active, and can be repeated.
 * @throws ApiError what `check` of the actor does, and `BAD_REQUEST` where there is no such account
 */
export async function deactivateWithBots(
  db: Database,
  actor: Deactivator,
  userId: number,
  { note, deletes }: Deactivation,
): Promise<void> {
  const { realmId } = actor;
  const actions = deletes?.names.length ? { actions: deletes.names } : {};
  const go = (tx: Tx, account: Account, more: object = {}) =>
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
    const { bots } = await openUser(tx, actor, userId);
    return bots.map(({ id }) => id);
  });
  for (const botId of botIds)
    await db.transaction(async (tx) => {
      const [, bot] = await Promise.all([
        lockGroupGraph(tx, realmId),
        lockAccount(tx, realmId, botId),
      ]);
      // Somebody else may have deactivated it, or have become its owner.
      if (!bot?.isActive || bot.botOwnerId !== userId) return;
      const { events } = await go(tx, bot);
      await deleteMessages(tx, [bot]);
      emit(tx, realmId, events);
    });
  await db.transaction(async (tx) => {
    const { user, bots } = await openUser(tx, actor, userId);
    if (bots.length > 0) await lockChannelsOf(tx, [user, ...bots]);
    const events: NewEvent[] = [];
    for (const bot of bots) events.push(...(await go(tx, bot)).events);
    const gone = await go(tx, user, note);
    await deleteMessages(tx, [...bots, user]);
    if (note) await recordDeactivationMail(tx, realmId, gone.auditId);
    emit(tx, realmId, [...events, ...gone.events]);
  });
}

/**
 * The person in the hands of the transaction, with everything checked, and their active bots: none can come any more.
 * An owner who goes keeps others from going.
 * @throws ApiError
 */
async function openUser(
  tx: Tx,
  actor: Deactivator,
  userId: number,
): Promise<{ user: Account; bots: Account[] }> {
  const [, { account: user, bots }] = await Promise.all([
    lockGroupGraph(tx, actor.realmId),
    lockAccountWithBots(tx, actor.realmId, userId),
  ]);
  if (!user) throw noSuchUser();
  if (isOwner(user)) await lockOwnerSet(tx, user.realmId);
  await actor.check(tx, user);
  return { user, bots: bots.filter(({ isActive }) => isActive) };
}
