import { errors, isOwner, type NewEvent } from "@carillon/contract";
import { type Database, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";
import {
  type Account,
  lockAccountAudience,
  checkAdministers,
  checkOwnerRemains,
  currentActor,
  groupEvents,
  guestsNotSeeing,
  loadMetadataAudiences,
  loadRealm,
  lockAccount,
  lockAccountWithBots,
  lockChannelsOf,
  lockGroupGraph,
  lockOwnerSet,
  markSubscriber,
  noSuchUser,
  ownerRemains,
  personUpdated,
  type Realm,
  writeAudit,
  loadAfter,
} from "@carillon/model";

import { archivedAmong } from "../channel-events/channel-events.ts";
import { peerEvents } from "../channel-events/subscription-events.ts";
import { type MessagesToDelete, recordDeletions } from "../deletion/record-deletions.ts";
import { endCallsOfBots } from "../outgoing-calls/claim-call.ts";
import { disableSubscriptionsOfBots } from "../outgoing-calls/disable-subscriptions.ts";
import { outgoingWebhook } from "../outgoing-calls/record-calls.ts";
import { forgetDevices } from "../push/devices/devices.ts";
import { visibilityBySubscriptions } from "../user-visibility/visibility-events.ts";
import { dropQueues } from "./api-key.ts";
import { groupsOfAccount } from "./create-user.ts";
import { type DeactivationNote, recordDeactivationMail } from "./deactivation-mail.ts";
import { endOwnInvitations } from "./end-invitations.ts";
import { reactivatedSettings } from "./reactivate-user.ts";
import { deleteProfile } from "./update-user.ts";

/** Which data of a user and of their bots to delete, in the wire format. */
export interface DeactivationActions {
  readonly delete_profile: boolean;
  readonly delete_public_channel_messages: boolean;
  readonly delete_private_channel_messages: boolean;
  readonly delete_direct_messages: boolean;
}

/** Options of a deactivation by an administrator. */
interface DeactivationOptions {
  readonly actions?: DeactivationActions | undefined;
  /** Comment for the mail to the user; undefined for no mail, blank for a mail without a comment. */
  readonly comment?: string | undefined;
}

/** Maximum code points of a comment. */
const maxComment = 2_000;

/**
 * Deactivates a person and their bots for an administrator (users.md §4).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function deactivateUser(
  db: Database,
  actor: Account,
  userId: number,
  options: DeactivationOptions,
): Promise<void> {
  const note = checkComment(options.comment);
  const { actions } = options;
  await deactivateWithBots(db, byAccount(actor, assertCanDeactivate), userId, {
    note,
    deletes: actions && wantedOf(actions),
  });
}

async function assertCanDeactivate(tx: Tx, actor: Account, user: Account): Promise<void> {
  if (user.isBot) throw errors.badRequest("This is a bot: use DELETE /bots/{bot_id}");
  if (!user.isActive) throw errors.badRequest("The user is already deactivated");
  checkAdministers(actor, user);
  if (isOwner(user) && !isOwner(actor))
    throw errors.unauthorizedPrincipal("Only owners can deactivate an owner");
  await checkOwnerRemains(tx, user);
}

function wantedOf(actions: DeactivationActions): WantedDeletions {
  return {
    profile: actions.delete_profile,
    messages: {
      publicChannels: actions.delete_public_channel_messages,
      privateChannels: actions.delete_private_channel_messages,
      direct: actions.delete_direct_messages,
    },
    names: Object.entries(actions).flatMap(([name, value]) => (value ? [name] : [])),
  };
}

/**
 * Checks the comment for the mail about a deactivation.
 * @returns the note for the audit log; undefined if no mail is requested
 * @throws ApiError `BAD_REQUEST` if the comment is too long
 */
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
 * Deactivates the actor's own account and its bots (users.md §5).
 * @throws ApiError `CANNOT_DEACTIVATE_LAST_USER`
 */
export async function deactivateOwnUser(db: Database, actor: Account): Promise<void> {
  await deactivateWithBots(db, byAccount(actor, assertCanDeactivateSelf), actor.id, {});
}

/** Rejects the last active account, then the last owner. */
async function assertCanDeactivateSelf(tx: Tx, actor: Account, user: Account): Promise<void> {
  const prisma = await tx.prisma();
  const another = await prisma.user.findFirst({
    where: { realmId: actor.realmId, isActive: true, systemBotKind: null, id: { not: user.id } },
    select: { id: true },
  });
  if (!another) throw errors.cannotDeactivateLastUser("user", false);
  if (!(await ownerRemains(tx, user)))
    throw errors.cannotDeactivateLastUser("organization owner", true);
}

/** The actor of a deactivation. */
interface Deactivator {
  readonly realmId: number;
  /** For the audit log; null for an operator. */
  readonly id: number | null;
  /** Throws an `ApiError` unless the account, read under the lock, may be deactivated. */
  authorize(tx: Tx, user: Account): Promise<void>;
}

/**
 * Returns the deactivator for an account that deactivates another one, or itself.
 * @param check checks the permission, given the current state of both accounts
 */
function byAccount(
  actor: Account,
  check: (tx: Tx, actor: Account, user: Account) => Promise<void>,
): Deactivator {
  return {
    realmId: actor.realmId,
    id: actor.id,
    async authorize(tx, user) {
      // A bot that deactivates its own owner has been deactivated before the owner.
      const now = actor.botOwnerId === user.id ? actor : await currentActor(tx, actor);
      await check(tx, now, user);
    },
  };
}

/** Which data of a person and of their bots to delete. */
interface WantedDeletions {
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
    const { bots } = await openUser(tx, actor, userId);
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
    const { user, bots } = await openUser(tx, actor, userId);
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
async function openUser(
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

/** `clock_timestamp()` is later than the creation of any link that the account made before the lock of the group graph. */
const deactivate = statement({
  name: "account-deactivate",
  text: "UPDATE users SET is_active = false, deactivated_at = clock_timestamp() WHERE id = $1",
});

/**
 * Makes events for guests who cannot see the account. Other clients remove a deactivated account from groups and
 * settings themselves; these guests do not receive the deactivation, so they receive the changed groups and settings.
 */
async function eventsForGuestsNotSeeing(
  tx: Tx,
  realm: Realm,
  account: Account,
): Promise<NewEvent[]> {
  const hiddenFrom = await guestsNotSeeing(tx, account);
  if (!realm.restrictsGuests || hiddenFrom.length === 0) return [];
  const groups = await tx.rows(groupsOfAccount, [account.id]);
  return [
    ...groups.flatMap((group) => groupEvents.membersRemoved(group, [account.id], hiddenFrom)),
    ...(await reactivatedSettings(tx, account.realmId, account.id)),
  ];
}

/** Options of the deactivation of one account. */
interface AccountDeactivation {
  readonly note?: object;
  readonly deletesProfile?: boolean;
}

/**
 * Deactivates one account, person or bot (users.md §4): after the commit its key is rejected. Deletes its event queues
 * and devices, ends its invitations and reusable links, and no longer counts it as a subscriber. Keeps everything else
 * for its reactivation.
 * @param actorId for the audit log; null for an operator
 * @param account locked by the transaction
 * @param options `note`: for the audit log; `deletesProfile`: whether to delete its name and picture
 * @returns the events in order, which also end the account's open polls, and the id of the audit log's entry
 */
export async function deactivateAccount(
  tx: Tx,
  actorId: number | null,
  account: Account,
  { note = {}, deletesProfile = false }: AccountDeactivation = {},
): Promise<{ readonly events: readonly NewEvent[]; readonly auditId: number }> {
  const {
    unsubscribed,
    auditIds: [auditId],
  } = await loadAfter([tx.rows(deactivate, [account.id]), tx.rows(dropQueues, [account.id])], {
    unsubscribed: markSubscriber(tx, account, false),
    auditIds: writeAudit(tx, account.realmId, actorId, [
      { type: "user_deactivated", userId: account.id, data: note },
    ]),
  });
  if (auditId === undefined) throw new Error("audit insert returned no id");
  const audiences = await loadMetadataAudiences(
    tx,
    account.realmId,
    unsubscribed.map(({ channelId }) => channelId),
  );
  const realm = await loadRealm(tx, account.realmId);
  const lost = await visibilityBySubscriptions(
    tx,
    realm,
    account.isBot ? [] : unsubscribed,
    "lost",
  );
  const audience = await lockAccountAudience(tx, account);
  const invitations = account.isBot ? [] : await endOwnInvitations(tx, account);
  if (!account.isBot) await forgetDevices(tx, account.id);
  if (account.botType === outgoingWebhook) await endCallsOfBots(tx, [account.id]);
  if (account.isBot) disableSubscriptionsOfBots(tx, [account.id]);
  const profile = deletesProfile ? await deleteProfile(tx, account, audience) : [];
  const events = [
    ...peerEvents(
      "peer_remove",
      unsubscribed,
      audiences,
      archivedAmong(unsubscribed.map(({ channelId: id, isArchived }) => ({ id, isArchived }))),
    ),
    personUpdated(account.id, { is_active: false }, audience),
    ...lost,
    ...(await eventsForGuestsNotSeeing(tx, realm, account)),
    ...profile,
    ...invitations,
  ];
  return { events, auditId };
}
