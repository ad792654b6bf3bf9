import { errors, isOwner, roles } from "@carillon/contract";
import { type RowOf, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { RateRule } from "@carillon/kit";
import {
  type Account,
  currentActor,
  endInvitations,
  invitesChangedEvents,
  isOrganizationAdministrator,
  loadAfter,
  lockGroupGraphShared,
  recordAudit,
} from "@carillon/model";

import { checkIsNoGuest } from "./check-offer.ts";
import { countMails } from "./mail-limit.ts";
import { recordInvitationMails } from "./make-links.ts";
import { linkIsOpen } from "./usable-links.ts";

const lockOne = statement({
  name: "invitation-to-change",
  text: `SELECT i.id, i.maker_id AS "makerId", i.role FROM invitations i
    WHERE i.realm_id = $1 AND i.id = $2 AND i.kind = $3 AND ${linkIsOpen} FOR NO KEY UPDATE OF i`,
});

/**
 * Locks an invitation or a reusable link that the actor may change (people.md §1).
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
async function openInvitation(
  tx: Tx,
  account: Account,
  kind: "email" | "multiuse",
  id: number,
): Promise<RowOf<typeof lockOne>> {
  const { realmId } = account;
  const { actor, found } = await loadAfter(lockGroupGraphShared(tx, realmId), {
    actor: currentActor(tx, account),
    found: tx.lock({ name: "invitations", keys: [id] }, lockOne, [realmId, id, kind]),
  });
  checkIsNoGuest(actor);
  const [link] = found;
  const isMaker = link?.makerId === actor.id;
  if (!link || (!isMaker && !isOrganizationAdministrator(actor)))
    throw errors.badRequest("There is no such invitation");
  if (link.role === roles.owner && !isMaker && !isOwner(actor))
    throw errors.unauthorizedPrincipal("Only owners can change the invitation of an owner");
  return link;
}

/**
 * Mails an invitation again, with the same link and the same expiry (people.md §1).
 * @param rules the rate rule `invites`; empty for no limit
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`, `INVITATION_FAILED`
 */
export async function resendInvitation(
  tx: Tx,
  account: Account,
  id: number,
  rules: readonly RateRule[],
): Promise<void> {
  const link = await openInvitation(tx, account, "email", id);
  await countMails(tx, account.realmId, 1, rules);
  const prisma = await tx.prisma();
  const { mails } = await prisma.invitation.update({
    where: { id: link.id },
    data: { mails: { increment: 1 } },
    select: { mails: true },
  });
  await recordInvitationMails(tx, account.realmId, [{ id, number: mails }]);
  recordAudit(tx, account.realmId, account.id, [
    { type: "invitation_resent", data: { invitation_id: id } },
  ]);
}

/**
 * Revokes an invitation or a reusable link (people.md §1). Revoking a reusable link also
 * ends the personal links made from it.
 * @throws ApiError `BAD_REQUEST`, `UNAUTHORIZED_PRINCIPAL`
 */
export async function revokeInvitation(
  tx: Tx,
  account: Account,
  kind: "email" | "multiuse",
  id: number,
): Promise<void> {
  const { makerId } = await openInvitation(tx, account, kind, id);
  await endInvitations(tx, account.realmId, [id]);
  recordAudit(tx, account.realmId, account.id, [
    { type: "invitation_revoked", data: { invitation_id: id } },
  ]);
  emit(tx, account.realmId, await invitesChangedEvents(tx, account.realmId, [makerId]));
}
