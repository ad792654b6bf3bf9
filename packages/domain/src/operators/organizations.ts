import { type DomainObject, errors } from "@carillon/contract";
import {
  type Database,
  lockKey,
  type Sql,
  statement,
  type TransactionPrisma,
  type Tx,
} from "@carillon/db";
import {
  type Account,
  accountColumns,
  accountOverrides,
  checkFullName,
  isEmailAddress,
  listDomains,
  loadOrganizationSettings,
  loadRealm,
  lockOrganization,
  type Realm,
  recordAudit,
  type Site,
} from "@carillon/model";

import {
  checkOrganizationName,
  checkSubdomain,
  createOrganization,
  createFirstChannel,
} from "../realms/create-organization.ts";
import { deleteDomain, insertDomain, liftRestrictionForOperator } from "../realms/domains.ts";
import { checkPassword, hashPassword } from "../users/passwords.ts";

/** An organization in an operator's list. */
export interface NamedOrganization {
  readonly id: number;
  /** Empty for the organization at the host of `PUBLIC_URL` itself. */
  readonly subdomain: string;
  readonly name: string;
  readonly accounts: number;
  readonly deactivated: boolean;
  /** Whether it is read-only, because it is moving or has moved (docs/moving.md). */
  readonly readOnly: boolean;
  /** Its new address, if it has been redirected. */
  readonly movedTo: string | null;
}

const all = statement({
  name: "operator-organizations",
  text: `SELECT r.id, r.subdomain, r.name, r.deactivated, r.read_only_since IS NOT NULL AS "readOnly", r.moved_to AS "movedTo",
      (SELECT count(*)::int FROM users u WHERE u.realm_id = r.id AND u.system_bot_kind IS NULL AND u.is_active) AS accounts
    FROM realms r ORDER BY r.id`,
});

const bySubdomain = statement({
  name: "operator-organization",
  // The subdomain of an organization that is being imported begins with a dot.
  text: `SELECT id FROM realms WHERE CASE WHEN $1::text IS NULL THEN subdomain NOT LIKE '.%' ELSE subdomain = $1 END
    ORDER BY id LIMIT 2`,
});

const unfinished = statement({
  name: "operator-unfinished-import",
  text: `SELECT i.subdomain FROM organization_imports i LEFT JOIN realms r ON r.id = i.realm_id
    WHERE i.finished_at IS NULL AND (i.subdomain = $1 OR r.subdomain = $1) ORDER BY i.id LIMIT 1`,
});

/** Lists all organizations in the order of their creation. */
export function listOrganizations(sql: Sql): Promise<readonly NamedOrganization[]> {
  return sql.rows(all, []);
}

/** An operator's name for the organization without a subdomain; not a valid subdomain. */
export const noSubdomain = "-";

/**
 * Finds the organization that an operator names. One that is being imported is refused: nothing can be done with it before
 * it is complete.
 * @param subdomain undefined for the only one; {@link noSubdomain} or empty for the one without
 * @throws ApiError `BAD_REQUEST`
 */
export async function findOrganization(sql: Sql, subdomain: string | undefined): Promise<Realm> {
  const wanted = subdomain === noSubdomain ? "" : subdomain;
  const [found, second] = await sql.rows(bySubdomain, [wanted ?? null]);
  if (wanted !== undefined && (!found || wanted.startsWith("."))) {
    const [unfinishedImport] = await sql.rows(unfinished, [wanted]);
    if (unfinishedImport) throw errors.badRequest(whyUnfinished(unfinishedImport.subdomain));
  }
  if (found && !second) return loadRealm(sql, found.id);
  throw errors.badRequest(
    wanted !== undefined
      ? wanted === ""
        ? "there is no organization without a subdomain"
        : `there is no organization with the subdomain ${JSON.stringify(wanted)}`
      : found
        ? `there are several organizations: give --organization SUBDOMAIN, or --organization ${noSubdomain} for the one without a subdomain`
        : "there is no organization yet",
  );
}

/** Says that the import of an organization is unfinished, and what to do. @param subdomain the one that it will get */
export function whyUnfinished(subdomain: string): string {
  const label = subdomain === "" ? noSubdomain : subdomain;
  return `the import of the organization ${subdomain === "" ? "without a subdomain" : `with the subdomain ${subdomain}`} is unfinished: run carillon organization import with its folder again, or delete what it has stored with carillon organization import --discard --subdomain ${label}`;
}

const byAddressOrId = statement({
  name: "operator-account",
  text: `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.system_bot_kind IS NULL
    AND (lower(u.delivery_email) = lower($2) OR u.id::text = $2)`,
  overrides: accountOverrides,
});

const byAddressOrIdAnywhere = statement({
  name: "operator-accounts-named",
  text: `SELECT u.id FROM users u WHERE ($1::int IS NULL OR u.realm_id = $1) AND u.system_bot_kind IS NULL
    AND (lower(u.delivery_email) = lower($2) OR u.id::text = $2) ORDER BY u.id`,
});

/**
 * Finds the accounts that an operator names, at most one in each organization, including deactivated ones.
 * @param realm undefined for all organizations
 * @param named an e-mail address, or an id
 * @throws ApiError `BAD_REQUEST` if there is none
 */
export async function findNamedAccounts(
  sql: Sql,
  realm: Realm | undefined,
  named: string,
): Promise<readonly { readonly id: number }[]> {
  const found = await sql.rows(byAddressOrIdAnywhere, [realm?.id ?? null, named.trim()]);
  if (found.length > 0) return found;
  throw errors.badRequest(
    `there is no account ${named}${realm ? ` in the organization ${realm.name}` : ""}`,
  );
}

/**
 * Finds the account that an operator names, which may be deactivated.
 * @param named its e-mail address, or its id
 * @throws ApiError `BAD_REQUEST`
 */
export async function findNamedAccount(sql: Sql, realm: Realm, named: string): Promise<Account> {
  const [account] = await sql.rows(byAddressOrId, [realm.id, named.trim()]);
  if (account) return account;
  throw errors.badRequest(`there is no account ${named} in the organization ${realm.name}`);
}

/** The input for a new organization. */
interface WantedOrganization {
  readonly name: string;
  readonly subdomain: string;
  readonly owner: { readonly fullName: string; readonly email: string; readonly password: string };
}

/**
 * Creates an organization with its owner, who may create users and change e-mail addresses, and a channel. Sends the
 * owner the welcome message.
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function openOrganization(
  db: Database,
  site: Site,
  wanted: WantedOrganization,
): Promise<{ realm: Realm; owner: Account; apiKey: string }> {
  const name = checkOrganizationName(wanted.name);
  const subdomain = checkSubdomain(wanted.subdomain);
  const { owner } = wanted;
  const fullName = checkFullName(owner.fullName);
  const email = owner.email.trim();
  if (!isEmailAddress(email))
    throw errors.badRequest("the owner's email must be an e-mail address");
  await checkPassword(owner.password);
  await db.transaction(async (tx) => checkSubdomainIsFree(await tx.prisma(), subdomain));
  const passwordHash = await hashPassword(owner.password);
  return db.transaction(async (tx) => {
    await lockKey(tx, "firstOrganization", 0);
    await checkSubdomainIsFree(await tx.prisma(), subdomain);
    const person = { fullName, email, passwordHash };
    const created = await createOrganization(tx, site, { subdomain, name, owner: person });
    await createFirstChannel(tx, created.realm, [created.owner]);
    return { realm: created.realm, owner: created.owner, apiKey: created.ownerApiKey };
  });
}

async function checkSubdomainIsFree(prisma: TransactionPrisma, subdomain: string): Promise<void> {
  const taken = await prisma.realm.findUnique({ where: { subdomain }, select: { id: true } });
  if (taken)
    throw errors.badRequest(
      subdomain === ""
        ? "there is already an organization without a subdomain: give the new one a subdomain"
        : `there is already an organization with the subdomain ${subdomain}`,
    );
  const imports = await prisma.organizationImport.count({ where: { subdomain, finishedAt: null } });
  if (imports > 0)
    throw errors.badRequest(
      `${subdomain === "" ? "the organization without a subdomain" : `an organization with the subdomain ${subdomain}`} is being imported: end its import, or delete what it has stored with organization import --discard`,
    );
}

/** Maximum numbers of an organization's objects; undefined for no change. */
interface OrganizationLimits {
  readonly channels: number | undefined;
  readonly userGroups: number | undefined;
  readonly bots: number | undefined;
}

/** Sets, for an operator, how many channels, user groups and bots an organization may have. */
export async function setLimits(
  tx: Tx,
  realmId: number,
  { channels, userGroups, bots }: OrganizationLimits,
): Promise<void> {
  if (channels === undefined && userGroups === undefined && bots === undefined) return;
  const prisma = await tx.prisma();
  await prisma.realm.update({
    where: { id: realmId },
    data: {
      ...(channels !== undefined && { maxChannels: channels }),
      ...(userGroups !== undefined && { maxUserGroups: userGroups }),
      ...(bots !== undefined && { maxBots: bots }),
    },
    select: { id: true },
  });
  recordAudit(tx, realmId, null, [
    { type: "organization_limits_changed", data: { channels, user_groups: userGroups, bots } },
  ]);
}

/** A change of an organization's domains of e-mail addresses. */
interface DomainChanges {
  /** Domains to add, in lower case, with or without their subdomains. */
  readonly add: readonly DomainObject[];
  readonly remove: readonly string[];
  /** Whether to accept addresses of all domains again. */
  readonly unrestrict: boolean;
}

/** An organization's domains, and whether new accounts need an address of one of them. */
interface Domains {
  readonly domains: readonly DomainObject[];
  readonly restricted: boolean;
}

/**
 * Changes the domains of an organization for an operator, for example after its owners have locked themselves out by
 * entering a wrong domain. Returns the resulting domains.
 * @throws ApiError `BAD_REQUEST`; nothing has changed then
 */
export async function changeDomains(
  tx: Tx,
  realmId: number,
  { add, remove, unrestrict }: DomainChanges,
): Promise<Domains> {
  await lockOrganization(tx, realmId);
  const operator = { realmId, id: null };
  for (const domain of add) await insertDomain(tx, operator, domain);
  for (const name of remove) await deleteDomain(tx, operator, name);
  if (unrestrict) await liftRestrictionForOperator(tx, realmId);
  const [domains, settings] = [
    await listDomains(tx, realmId),
    await loadOrganizationSettings(tx, realmId),
  ];
  return { domains, restricted: settings.emails_restricted_to_domains };
}
