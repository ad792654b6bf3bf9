import { errors, isOwner } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";
import {
  type Account,
  checkAdministers,
  checkOwnerRemains,
  currentActor,
  ownerRemains,
} from "@carillon/model";

import {
  type Deactivator,
  deactivateWithBots,
  type WantedDeletions,
} from "./deactivate-with-bots.ts";
import type { DeactivationNote } from "./deactivation-mail.ts";

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
