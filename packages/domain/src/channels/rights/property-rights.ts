import { type Account, isOrganizationAdministrator } from "@carillon/model";
import { channelPermissions, errors, isOwner } from "@carillon/contract";
import type { Tx } from "@carillon/db";

import { holdsOfRealm, type Holder } from "./holder.ts";

/**
 * Who decides how long messages are kept (channels.md §4.9).
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`
 */
export function checkMaySetRetention(actor: Account): void {
  if (!isOwner(actor))
    throw errors.unauthorizedPrincipal("Only owners may set message_retention_days");
}

/** How a channel stores what was asked for: null for the organization's own, −1 for ever, or days. */
export function retentionDays(asked: number | "realm_default" | "unlimited"): number | null {
  if (asked === "realm_default") return null;
  return asked === "unlimited" ? -1 : asked;
}

/**
 * Who decides which topics there may be (channels.md §4.10).
 * @throws ApiError `BAD_REQUEST`
 */
export function checkMaySetTopicsPolicy(holder: Holder): void {
  if (isOrganizationAdministrator(holder.actor)) return;
  if (!holdsOfRealm(holder, "canSetTopicsPolicyGroup"))
    throw errors.badRequest("You may not set topics_policy");
}

/** These decide what may vanish from the organization's history. */
const deletionPermissions: readonly string[] = [
  channelPermissions.canDeleteAnyMessageGroup.name,
  channelPermissions.canDeleteOwnMessageGroup.name,
];

/**
 * Who may let others delete messages (channels.md §2).
 * @param names permissions of a channel, on the wire, that are set to something else than before
 * @throws ApiError `BAD_REQUEST` for the first that the actor may not set
 */
export function checkMaySetDeletion(holder: Holder, names: readonly string[]): void {
  const asked = names.find((name) => deletionPermissions.includes(name));
  if (asked !== undefined && !holdsOfRealm(holder, "canSetDeleteMessagePolicyGroup"))
    throw errors.badRequest(`You may not set ${asked}`);
}

/**
 * A folder that a channel is to be in; an archived one will do (channels.md §4.3).
 * @throws ApiError `BAD_REQUEST` when the organization has none with this id
 */
export async function checkFolder(tx: Tx, realmId: number, folderId: number): Promise<void> {
  const prisma = await tx.prisma();
  const folder = await prisma.channelFolder.findFirst({
    where: { realmId, id: folderId },
    select: { id: true },
  });
  if (!folder) throw errors.badRequest("There is no such channel folder");
}
