import {
  isAtLeast,
  isOwner,
  type RealmPermission,
  realmPermissions,
  roles,
} from "@carillon/contract";
import { type RowOf, type Sql, statement, typed } from "@carillon/db";
import {
  accountColumns,
  accountOverrides,
  type Account,
  loadMemberships,
  loadOrganizationSettings,
  loadRealm,
  type PermissionSubject,
  type Realm,
  type Site,
} from "@carillon/model";

import { addressRefusal } from "../users/allowed-addresses.ts";

/**
 * `email`: an invitation to an address. `multiuse`: a reusable link. `personal`: made on the page of a reusable link for
 * one address. `signup`: confirms the address of a sign-up.
 */
export type LinkKind = "email" | "multiuse" | "personal" | "signup";

/** The columns of a link. */
const linkColumns = `i.id, i.kind, i.maker_id AS "makerId", i.parent_id AS "parentId", i.email,
  i.full_name AS "fullName", i.role, i.include_defaults AS "includeDefaults", i.notify_referrer AS "notifyReferrer",
  i.welcome_text AS "welcomeText", i.key_sealed AS "keySealed"`;

/**
 * SQL: whether the link `i`, which was not made from a reusable one, has neither ended nor expired, and its maker has not
 * been deactivated since. `ended_at` alone does not tell: a job sets it some time after the deactivation if the maker has
 * many links (`endInvitationsOfMaker`).
 */
export const ownLinkIsOpen = `i.ended_at IS NULL AND (i.expires_at IS NULL OR i.expires_at > now())
  AND NOT EXISTS (SELECT FROM users m WHERE m.id = i.maker_id AND m.deactivated_at >= i.created_at)`;

/** SQL: whether the link `i` is open, and so is the reusable link from which it was made, if any. */
export const linkIsOpen = `${ownLinkIsOpen}
  AND NOT EXISTS (SELECT FROM invitations p JOIN users m ON m.id = p.maker_id
    WHERE p.id = i.parent_id AND (p.ended_at IS NOT NULL OR m.deactivated_at >= p.created_at))`;

const linkOverrides = { kind: typed<LinkKind>() };

const byDigest = statement({
  name: "invitation-by-key",
  text: `SELECT ${linkColumns} FROM invitations i WHERE i.realm_id = $1 AND i.key_digest = $2 AND ${linkIsOpen}`,
  overrides: linkOverrides,
});

const byId = statement({
  name: "invitation-by-id",
  text: `SELECT ${linkColumns} FROM invitations i WHERE i.realm_id = $1 AND i.id = $2 AND ${linkIsOpen}`,
  overrides: linkOverrides,
});

const toAddress = statement({
  name: "invitations-to-address",
  text: `SELECT ${linkColumns} FROM invitations i
    WHERE i.realm_id = $1 AND i.kind = 'email' AND lower(i.email) = lower($2) AND ${linkIsOpen}
    ORDER BY i.id DESC LIMIT 100`,
  overrides: linkOverrides,
});

/** A link with which a person can join. */
export type Link = RowOf<typeof byDigest>;

/** Keys are made of letters and digits. */
const possibleKey = /^[0-9A-Za-z]{1,100}$/;

/**
 * Finds the link with this key, if a person could join with it now (people.md §1, §2): it has neither expired nor ended,
 * its maker could make it now, the organization is active, and no account has its address. Changes nothing.
 */
export async function findUsableLink(
  sql: Sql,
  site: Site,
  realmId: number,
  key: string,
): Promise<Link | undefined> {
  if (!possibleKey.test(key)) return undefined;
  const [link] = await sql.rows(byDigest, [realmId, site.secrets.digest(key)]);
  if (!link) return undefined;
  return (await isUsable(sql, await loadRealm(sql, realmId), link)) ? link : undefined;
}

/** Finds the link with this id, if it has neither expired nor ended. */
export async function findLinkById(
  sql: Sql,
  realmId: number,
  id: number,
): Promise<Link | undefined> {
  const [link] = await sql.rows(byId, [realmId, id]);
  return link;
}

/** Finds the newest usable invitation to the address, for a person whose address a provider has verified. */
export async function findInvitationTo(
  sql: Sql,
  realmId: number,
  email: string,
): Promise<Link | undefined> {
  const links = await sql.rows(toAddress, [realmId, email]);
  const realm = links.length > 0 ? await loadRealm(sql, realmId) : undefined;
  for (const link of links) if (realm && (await isUsable(sql, realm, link))) return link;
  return undefined;
}

/**
 * Whether a person could join with a link that has neither expired nor ended (people.md §1, §2): the organization is
 * active, the maker could make the link now, and a new account may have the address.
 */
export async function isUsable(sql: Sql, realm: Realm, link: Link): Promise<boolean> {
  if (realm.deactivated) return false;
  const isAllowed =
    link.kind === "signup"
      ? await isOpenForSignUp(sql, realm.id)
      : await makerCouldMake(sql, realm, link);
  if (!isAllowed) return false;
  return link.email === null || !(await refusesAddress(sql, realm, link.email));
}

/** Whether people may sign up without an invitation. */
export async function isOpenForSignUp(sql: Sql, realmId: number): Promise<boolean> {
  return !(await loadOrganizationSettings(sql, realmId)).invite_required;
}

/** Whether the address is refused for a new account: an account has it already, or the organization does not allow it. */
export async function refusesAddress(sql: Sql, realm: Realm, email: string): Promise<boolean> {
  if (await hasAccount(sql, realm.id, email)) return true;
  return (await addressRefusal(sql, realm.id, email)) !== undefined;
}

const ofAddress = statement({
  name: "account-of-address",
  text: "SELECT FROM users WHERE realm_id = $1 AND lower(delivery_email) = lower($2)",
});

/** Whether an account, active or not, has the address. */
export async function hasAccount(sql: Sql, realmId: number, email: string): Promise<boolean> {
  return (await sql.rows(ofAddress, [realmId, email])).length > 0;
}

const makerOf = statement({
  name: "maker-of-invitation",
  text: `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.id = $2`,
  overrides: accountOverrides,
});

/** Loads the account that made a link, which may be deactivated; undefined for a sign-up. */
export async function loadMaker(
  sql: Sql,
  realmId: number,
  { makerId }: Pick<Link, "makerId">,
): Promise<Account | undefined> {
  if (makerId === null) return undefined;
  const [maker] = await sql.rows(makerOf, [realmId, makerId]);
  return maker;
}

/** Whether the maker of a link could make it now: the account is active, holds the permission, and may give the role. */
async function makerCouldMake(
  sql: Sql,
  realm: Realm,
  link: Pick<Link, "makerId" | "kind" | "role">,
): Promise<boolean> {
  const maker = await loadMaker(sql, realm.id, link);
  if (!maker?.isActive) return false;
  return (
    mayGiveRole(maker, link.role) && (await mayInvite(sql, realm, maker, permissionFor(link.kind)))
  );
}

/** Returns the permission that links of the kind need. */
function permissionFor(kind: LinkKind): InvitePermission {
  return kind === "email" ? "canInviteUsersGroup" : "createMultiuseInviteGroup";
}

export type InvitePermission = Extract<
  RealmPermission,
  "canInviteUsersGroup" | "createMultiuseInviteGroup"
>;

/** Whether the account holds the permission of invitations or of reusable links. */
export async function mayInvite(
  sql: Sql,
  realm: Realm,
  account: PermissionSubject,
  permission: InvitePermission,
): Promise<boolean> {
  const memberships = await loadMemberships(sql, [account.id]);
  return memberships.holds(account, realmPermissions[permission], realm.groups[permission]);
}

/** Whether the account may invite people with the role. */
export function mayGiveRole(account: { readonly role: number }, role: number): boolean {
  if (role === roles.owner) return isOwner(account);
  return role >= roles.member || isAtLeast(account, roles.administrator);
}
