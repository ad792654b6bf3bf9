import { errors, realmDeactivated } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { type Account, administerAsOwner, lockOrganization, recordAudit } from "@carillon/model";

import { recordOwnerMails } from "./organization-deactivation-mail.ts";

/**
 * Deactivates the organization for an owner, and mails its owners (users.md §5.2).
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`
 */
export async function deactivateOrganization(tx: Tx, actor: Account): Promise<void> {
  await administerAsOwner(tx, actor);
  await storeDeactivated(tx, actor.realmId, actor.id, true);
}

const moveState = statement({
  name: "organization-move-state",
  text: `SELECT r.moved_to AS "movedTo", h.last_seq IS NOT NULL AS "hasFinalExport"
    FROM realms r LEFT JOIN event_head h ON h.realm_id = r.id WHERE r.id = $1`,
});

/**
 * Deactivates or reactivates an organization for an operator. The organization's lock keeps its owners, who are mailed, from
 * changing. The lock of the group graph is not needed: people who join at the same time have accounts that cannot be used
 * until the reactivation, as if they had come before.
 *
 * After its final export (docs/moving.md), an organization continues at another installation: its owners get no mail, its
 * event log takes no event, and requests get 503, so that clients retry until the address leads to the other installation.
 * @returns whether that changed anything
 * @throws ApiError `BAD_REQUEST` for the reactivation of an organization that has been redirected
 */
export async function setDeactivated(
  tx: Tx,
  realmId: number,
  deactivated: boolean,
): Promise<boolean> {
  await lockOrganization(tx, realmId);
  const state = await tx.first(moveState, [realmId]);
  if (!deactivated && typeof state?.movedTo === "string")
    throw errors.badRequest(`the organization has moved to ${state.movedTo}: there is no way back`);
  return storeDeactivated(tx, realmId, null, deactivated, state?.hasFinalExport);
}

/** Deletes the event queues, so that clients register again after a reactivation. */
const dropQueues = statement({
  name: "event-queues-of-organization-drop",
  text: "DELETE FROM event_queue WHERE realm_id = $1",
});

const store = statement({
  name: "organization-store-deactivated",
  text: `UPDATE realms SET deactivated = $2, reactivated_at = CASE WHEN $2 THEN reactivated_at ELSE now() END
    WHERE id = $1 AND deactivated <> $2 RETURNING id`,
});

/**
 * Stores the state, and tells owners and clients. The organization's row must be locked.
 * @param actorId null for an operator
 */
async function storeDeactivated(
  tx: Tx,
  realmId: number,
  actorId: number | null,
  deactivated: boolean,
  hasFinalExport = false,
): Promise<boolean> {
  const changed = await tx.rows(store, [realmId, deactivated]);
  if (changed.length === 0) return false;
  const type = deactivated ? "realm_deactivated" : "realm_reactivated";
  recordAudit(tx, realmId, actorId, [{ type }]);
  if (deactivated) {
    await tx.rows(dropQueues, [realmId]);
    if (hasFinalExport) return true;
    await recordOwnerMails(tx, realmId, actorId);
    emit(tx, realmId, [realmDeactivated({ realm_id: realmId })]);
  }
  return true;
}
