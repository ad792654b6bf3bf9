import { type Account, checkAdministers, checkOwnerRemains } from "@carillon/model";
import { errors, isOwner } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import { isLongerThan } from "@carillon/kit";

import type { DeactivationNote } from "./deactivation-mail.ts";
import { deactivateWithBots } from "./deactivate-with-bots.ts";

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
 * Deactivates a person on behalf of an administrator (users.md §4), with their bots.
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
  await deactivateWithBots(db, actor, userId, { check: checkMayDeactivate, note });
}

async function checkMayDeactivate(tx: Tx, actor: Account, user: Account): Promise<void> {
  if (user.isBot) throw errors.badRequest("This is a bot: use DELETE /bots/{bot_id}");
  if (!user.isActive) throw errors.badRequest("The user is already deactivated");
  checkAdministers(actor, user);
  if (isOwner(user) && !isOwner(actor))
    throw errors.unauthorizedPrincipal("Only owners can deactivate an owner");
  await checkOwnerRemains(tx, user);
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
