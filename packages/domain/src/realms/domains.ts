import {
  domainAdded,
  domainChanged,
  type DomainObject,
  domainRemoved,
  errors,
  maxDomains,
  type NewEvent,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type Account,
  administerAsOwner,
  type AuditEntry,
  listDomains,
  realmUpdatedEvents,
  recordAudit,
  storeOrganizationSettings,
} from "@carillon/model";

/**
 * Adds a domain (users.md §5.1), and sends an event to all users.
 * @param wanted its domain in lower case
 * @returns its id
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function addDomain(tx: Tx, actor: Account, wanted: DomainObject): Promise<number> {
  await administerAsOwner(tx, actor);
  return insertDomain(tx, actor, wanted);
}

/** Who changes the list; `id` is null for an operator. */
export interface DomainActor {
  readonly realmId: number;
  readonly id: number | null;
}

/**
 * Adds a domain, as {@link addDomain} does. The organization's row must be locked.
 * @returns its id
 * @throws ApiError `BAD_REQUEST`
 */
export async function insertDomain(
  tx: Tx,
  actor: DomainActor,
  wanted: DomainObject,
): Promise<number> {
  const { realmId } = actor;
  const existing = await listDomains(tx, realmId);
  if (existing.some(({ domain }) => domain === wanted.domain))
    throw errors.badRequest(`The domain ${wanted.domain} is already in the list`);
  if (existing.length >= maxDomains)
    throw errors.badRequest(`An organization cannot have more than ${maxDomains} domains`);
  const prisma = await tx.prisma();
  const { domain, allow_subdomains: allowSubdomains } = wanted;
  const { id } = await prisma.realmDomain.create({
    data: { realmId, domain, allowSubdomains },
    select: { id: true },
  });
  recordAndEmit(tx, actor, { type: "domain_added", data: wanted }, [
    domainAdded({ realm_domain: wanted }),
  ]);
  return id;
}

/**
 * Changes whether a domain accepts subdomains (users.md §5.1), and sends an event to all users.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function updateDomain(
  tx: Tx,
  actor: Account,
  name: string,
  allowSubdomains: boolean,
): Promise<void> {
  const { realmId } = actor;
  await administerAsOwner(tx, actor);
  const before = find(await listDomains(tx, realmId), name);
  if (before.allow_subdomains === allowSubdomains) return;
  const prisma = await tx.prisma();
  await prisma.realmDomain.update({
    where: { realmId_domain: { realmId, domain: before.domain } },
    data: { allowSubdomains },
    select: { id: true },
  });
  const changed = { domain: before.domain, allow_subdomains: allowSubdomains };
  recordAndEmit(tx, actor, { type: "domain_changed", data: changed }, [
    domainChanged({ realm_domain: changed }),
  ]);
}

/**
 * Removes a domain (users.md §5.1), and sends an event to all users. Removing the last domain turns
 * `emails_restricted_to_domains` off.
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`, `BAD_REQUEST`
 */
export async function removeDomain(tx: Tx, actor: Account, name: string): Promise<void> {
  await administerAsOwner(tx, actor);
  await deleteDomain(tx, actor, name);
}

/**
 * Removes a domain, as {@link removeDomain} does. The organization's row must be locked.
 * @throws ApiError `BAD_REQUEST`
 */
export async function deleteDomain(tx: Tx, actor: DomainActor, name: string): Promise<void> {
  const { realmId } = actor;
  const all = await listDomains(tx, realmId);
  const { domain } = find(all, name);
  const prisma = await tx.prisma();
  await prisma.realmDomain.delete({
    where: { realmId_domain: { realmId, domain } },
    select: { id: true },
  });
  const lifted = all.length === 1 ? await liftRestriction(tx, realmId) : [];
  recordAndEmit(tx, actor, { type: "domain_removed", data: { domain } }, [
    domainRemoved({ domain }),
    ...lifted,
  ]);
}

function find(all: readonly DomainObject[], name: string): DomainObject {
  const wanted = name.trim().toLowerCase();
  const found = all.find(({ domain }) => domain === wanted);
  if (!found) throw errors.badRequest("There is no such domain in the list");
  return found;
}

function recordAndEmit(
  tx: Tx,
  actor: DomainActor,
  entry: AuditEntry,
  events: readonly NewEvent[],
): void {
  recordAudit(tx, actor.realmId, actor.id, [entry]);
  emit(tx, actor.realmId, events);
}

/** Accepts addresses of all domains again, for an operator. The organization's row must be locked. */
export async function liftRestrictionForOperator(tx: Tx, realmId: number): Promise<void> {
  const events = await liftRestriction(tx, realmId);
  if (events.length === 0) return;
  const change = { setting: "emails_restricted_to_domains", old: true, new: false };
  recordAudit(tx, realmId, null, [{ type: "realm_setting_changed", data: change }]);
  emit(tx, realmId, events);
}

async function liftRestriction(tx: Tx, realmId: number): Promise<NewEvent[]> {
  const prisma = await tx.prisma();
  const { emailsRestrictedToDomains } = await prisma.realm.findUniqueOrThrow({
    where: { id: realmId },
    select: { emailsRestrictedToDomains: true },
  });
  if (!emailsRestrictedToDomains) return [];
  const changed = { emails_restricted_to_domains: false };
  await storeOrganizationSettings(tx, realmId, changed);
  return realmUpdatedEvents(changed);
}

/**
 * Checks that addresses can be restricted to domains: the organization has one.
 * @throws ApiError `BAD_REQUEST`
 */
export async function assertHasDomains(tx: Tx, realmId: number): Promise<void> {
  if ((await listDomains(tx, realmId)).length === 0)
    throw errors.badRequest(
      "emails_restricted_to_domains needs a domain: add one with POST /realm/domains first",
    );
}
