import { type Account, checkAdministers, checkOwnerRemains } from "@carillon/model";
import { errors, isOwner } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";

import type { DeactivationNote } from "./deactivation-mail.ts";
import { byAccount, deactivateWithBots, type WantedDeletions } from "./deactivate-with-bots.ts";

/** What is to be deleted of a user and of their bots, as on the wire. */
export interface DeactivationActions {
  readonly delete_profile: boolean;
  readonly delete_public_channel_messages: boolean;
  readonly delete_private_channel_messages: boolean;
  readonly delete_direct_messages: boolean;
}

/** What an administrator wants beside the deactivation. */
export interface DeactivationOptions {
  readonly actions?: DeactivationActions | undefined;
  /** For the user's mail; undefined where none is wanted, blank for one without a comment. */
  readonly comment?: string | undefined;
}

/** Code points of a comment. */
const maxComment = 2_000;

/**
 * Deactivates a person on behalf of an administrator (users.md §4), with their bots.
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
  await deactivateWithBots(db, byAccount(actor, checkMayDeactivate), userId, {
    note,
    deletes: actions && wantedOf(actions),
  });
}

async function checkMayDeactivate(tx: Tx, actor: Account, user: Account): Promise<void> {
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
