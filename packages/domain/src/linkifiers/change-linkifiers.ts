import { linkifiersChanged, type LinkifierObject } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  administerOrganization,
  type AuditEntry,
  listLinkifiers,
  recordAudit,
} from "@carillon/model";

/**
 * Has an administrator change the organization's linkifiers, and tells everybody of them.
 * @param change gets those that there are, which nobody else changes meanwhile; returns nothing where all stays as it is
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, and what `change` throws
 */
export async function changeLinkifiers(
  tx: Tx,
  actor: Account,
  change: (linkifiers: readonly LinkifierObject[]) => Promise<AuditEntry | undefined>,
): Promise<void> {
  await administerOrganization(tx, actor);
  const done = await change(await listLinkifiers(tx, actor.realmId));
  if (!done) return;
  recordAudit(tx, actor.realmId, actor.id, [done]);
  const realm_linkifiers = await listLinkifiers(tx, actor.realmId);
  emit(tx, actor.realmId, [linkifiersChanged({ realm_linkifiers })]);
}
