import { type Audience, errors, isOwner, type NewEvent, roles } from "@carillon/contract";
import { type Sql, sqlState, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { sendMail } from "@carillon/jobs";
import { randomKey } from "@carillon/kit";
import type { Letter } from "@carillon/mail";
import {
  type Account,
  lockAccountAudience,
  lockGroupGraphShared,
  hostOf,
  isEmailAddress,
  isOrganizationAdministrator,
  loadAccounts,
  loadRealm,
  lockAccount,
  personUpdated,
  pictureUpdated,
  type Realm,
  realmUrl,
  recordAudit,
  rolesSeeingAddress,
  type Site,
  visibleToEveryone,
  loadAfter,
} from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

/** Hours that a link is valid. */
const deadline = 24;

/** Minimum seconds between two mails for an account, because they go to unverified addresses. */
const pause = 60;

const circumstances = statement({
  name: "address-change-circumstances",
  text: `SELECT r.email_changes_disabled AS disabled,
      extract(epoch FROM c.created_at + make_interval(secs => ${pause}) - now())::float8 AS wait
    FROM realms r LEFT JOIN address_changes c ON c.user_id = $2 WHERE r.id = $1`,
});

/**
 * Checks that the account may change its own address.
 * @returns `wait`: seconds until another confirmation mail may be sent; 0 or less if it may be sent now
 * @throws ApiError `BAD_REQUEST` if only administrators may change addresses
 */
async function assertCanRequestAddress(tx: Tx, account: Account): Promise<{ wait: number }> {
  const facts = await tx.first(circumstances, [account.realmId, account.id]);
  if (facts?.disabled && !isOrganizationAdministrator(account))
    throw errors.badRequest("Only administrators can change e-mail addresses in this organization");
  return { wait: facts?.wait ?? 0 };
}

/**
 * Records an account's requested address, and a job that sends the confirmation mail (settings-and-profile-fields.md
 * §1.3). Replaces an earlier request. Requesting the current address has no effect.
 * @param account locked by the transaction
 * @throws ApiError `BAD_REQUEST`, `RATE_LIMIT_HIT`
 */
export async function requestAddress(
  tx: Tx,
  site: Site,
  realm: Realm,
  account: Account,
  text: string,
): Promise<void> {
  if (text.trim() === account.deliveryEmail) return;
  const { wait } = await assertCanRequestAddress(tx, account);
  const address = await checkAddressFor(tx, site, realm, account, text, "email");
  if (address === undefined) return;
  if (wait > 0) throw errors.rateLimitHit(wait);
  const token = randomKey();
  const prisma = await tx.prisma();
  await prisma.addressChange.deleteMany({ where: { userId: account.id } });
  const { id } = await prisma.addressChange.create({
    data: {
      realmId: realm.id,
      userId: account.id,
      oldAddress: account.deliveryEmail,
      newAddress: address,
      tokenSealed: Buffer.from(site.secrets.seal(token)),
      tokenDigest: Buffer.from(site.secrets.digest(token)),
    },
    select: { id: true },
  });
  const kind = "address-change";
  await recordIntents(tx, realm.id, sendMail, [
    { key: `${kind}-${id}`, payload: { kind, changeId: Number(id) } },
  ]);
}

const byToken = statement({
  name: "address-change-by-token",
  text: `SELECT c.id, c.realm_id AS "realmId", c.user_id AS "userId", c.old_address AS "oldAddress",
      c.new_address AS "newAddress", r.name AS organization
    FROM address_changes c JOIN realms r ON r.id = c.realm_id
    WHERE c.token_digest = $1 AND NOT r.deactivated AND c.created_at > now() - make_interval(hours => ${deadline})`,
});

/**
 * Returns what a link would confirm, for the page that asks for confirmation; changes nothing.
 * @throws ApiError `BAD_REQUEST`: the same for every invalid link
 */
export async function findWantedAddress(
  sql: Sql,
  site: Site,
  token: string,
): Promise<{
  readonly organization: string;
  readonly oldAddress: string;
  readonly newAddress: string;
}> {
  const [wanted] = await sql.rows(byToken, [site.secrets.digest(token)]);
  const account =
    wanted && (await loadAccounts(sql, wanted.realmId, [wanted.userId])).get(wanted.userId);
  if (!account?.isActive || account.deliveryEmail !== wanted?.oldAddress) throw noSuchLink();
  return wanted;
}

/**
 * Gives an account its confirmed address immediately, as `PATCH /users/{id}` does. A link works once.
 * @returns the address
 * @throws ApiError `BAD_REQUEST`: the same for a link that is unknown, expired, used or replaced
 */
export async function confirmAddress(tx: Tx, site: Site, token: string): Promise<string> {
  const wanted = await tx.first(byToken, [site.secrets.digest(token)]);
  if (!wanted) throw noSuchLink();
  const { realmId, userId, newAddress } = wanted;
  const { account, realm } = await loadAfter(lockGroupGraphShared(tx, realmId), {
    account: lockAccount(tx, realmId, userId),
    realm: loadRealm(tx, realmId),
  });
  if (!account?.isActive || account.deliveryEmail !== wanted.oldAddress) throw noSuchLink();
  const prisma = await tx.prisma();
  const { count } = await prisma.addressChange.deleteMany({ where: { id: wanted.id } });
  if (count === 0) throw noSuchLink();
  await assertCanRequestAddress(tx, account);
  await checkAddressFor(tx, site, realm, account, newAddress, "email");
  const events = await changeAddress(tx, account, newAddress).catch((error: unknown) => {
    throw sqlState(error) === "23505" ? addressTaken() : error;
  });
  recordAudit(tx, realmId, userId, [
    {
      type: "user_email_changed",
      userId,
      data: { old: account.deliveryEmail, new: newAddress },
    },
  ]);
  emit(tx, realmId, events);
  return newAddress;
}

function noSuchLink() {
  return errors.badRequest(
    "This link is invalid or no longer valid: request the new address again",
  );
}

/**
 * Checks that the actor is an owner who may change e-mail addresses (users.md §3.1).
 * @throws ApiError `BAD_REQUEST` if not
 */
export function assertCanChangeAddresses(actor: Account): void {
  if (!isOwner(actor) || !actor.canChangeUserEmails)
    throw errors.badRequest("You may not change e-mail addresses");
}

/**
 * Checks an account's new address (users.md §3.5).
 * @returns undefined if the account already has it
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkAddressFor(
  tx: Tx,
  site: Site,
  realm: Realm,
  target: Account,
  text: string,
  parameter = "new_email",
): Promise<string | undefined> {
  if (text.trim() === target.deliveryEmail) return undefined;
  const email = checkNewAddress(site, realm, text, parameter);
  await checkAddressIsFree(tx, realm, email, target.id);
  return email;
}

const storeAddress = statement({
  name: "address-store",
  text: "UPDATE users SET delivery_email = $2, email = $3 WHERE id = $1",
});

/**
 * Stores the account's new address, with which it logs in from then on.
 * @returns the events: the delivery address for accounts that can see it; the visible address if it is public; the
 * picture if it derives from the address
 * @throws a unique violation (SQLSTATE 23505) if another account has taken it meanwhile
 */
export async function changeAddress(tx: Tx, target: Account, address: string): Promise<NewEvent[]> {
  const isPublic = target.emailAddressVisibility === visibleToEveryone;
  const changed = {
    ...target,
    deliveryEmail: address,
    email: isPublic ? address : target.email,
  };
  const everybody = await lockAccountAudience(tx, target);
  const [audience] = await Promise.all([
    seeingAddress(tx, target, everybody),
    tx.rows(storeAddress, [target.id, changed.deliveryEmail, changed.email]),
  ]);
  return [
    personUpdated(target.id, { delivery_email: address }, audience),
    ...(isPublic ? [personUpdated(target.id, { new_email: address }, everybody)] : []),
    ...(target.avatarSource === "G" ? [pictureUpdated(changed, audience)] : []),
  ];
}

const accountsSeeing = statement({
  name: "accounts-of-roles-and-own",
  text: `SELECT coalesce(array_agg(id), '{}')::text AS ids FROM users
    WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL AND (role = ANY($2::int[]) OR id = $3)`,
});

/**
 * Returns the active accounts that can see the address, including the account itself.
 * @param everybody accounts that can see the account
 */
async function seeingAddress(tx: Tx, account: Account, everybody: Audience): Promise<Audience> {
  const seeing = rolesSeeingAddress(account);
  if (seeing.length === Object.keys(roles).length) return everybody;
  const found = await tx.first(accountsSeeing, [account.realmId, seeing, account.id]);
  return found?.ids ?? "{}";
}

/**
 * Trims and checks a new address. Rejects `user5@HOST`, the form in which other users see an account that hides its
 * address.
 * @param parameter its name in the error
 * @throws ApiError `BAD_REQUEST`
 */
export function checkNewAddress(
  site: Site,
  realm: Realm,
  text: string,
  parameter = "email",
): string {
  const email = text.trim();
  if (!isEmailAddress(email)) throw errors.badRequest(`${parameter} must be an e-mail address`);
  const [local = "", domain = ""] = email.toLowerCase().split("@");
  if (domain === hostOf(site, realm).toLowerCase() && /^user\d+$/.test(local))
    throw errors.badRequest(
      `${parameter} must not be one of the addresses that the server generates`,
    );
  return email;
}

const sameAddress = statement({
  name: "address-taken",
  text: "SELECT FROM users WHERE realm_id = $1 AND lower(delivery_email) = lower($2) AND id <> $3",
});

/**
 * Checks that no other account has the address, ignoring case; inactive accounts and system bots count too.
 * @param exceptId the account that will have it
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkAddressIsFree(
  sql: Sql,
  realm: Realm,
  email: string,
  exceptId = 0,
): Promise<void> {
  const taken = await sql.rows(sameAddress, [realm.id, email, exceptId]);
  if (taken.length > 0) throw addressTaken();
}

/** The error for an address that another account has. */
export function addressTaken() {
  return errors.badRequest("Another user has this e-mail address");
}

const about = statement({
  name: "address-change-to-tell",
  text: `SELECT r.name, r.subdomain, u.full_name AS "fullName", c.old_address AS "oldAddress",
      c.new_address AS "newAddress", c.token_sealed AS "tokenSealed"
    FROM address_changes c JOIN users u ON u.id = c.user_id JOIN realms r ON r.id = c.realm_id
    WHERE c.realm_id = $1 AND c.id = $2 AND u.is_active`,
});

/** Returns the mail to the new address; undefined if the request is no longer valid. */
export async function addressChangeMail(
  sql: Sql,
  site: Site,
  realmId: number,
  { changeId }: { readonly changeId: number },
): Promise<Letter | undefined> {
  const [found] = await sql.rows(about, [realmId, changeId]);
  if (!found) return undefined;
  const { name, oldAddress, newAddress, tokenSealed } = found;
  const url = realmUrl(site, found);
  const link = `${url}/accounts/confirm_new_email/${site.secrets.open(tokenSealed)}`;
  return {
    to: newAddress,
    senderName: name,
    subject: `Confirm your new e-mail address for ${name}`,
    text: `${[
      `Somebody, probably you, wants the account ${oldAddress} at ${name} (${url}) to have this e-mail address, ${newAddress}.`,
      `To confirm it, open this page within ${deadline} hours, and press its button:`,
      link,
      "If that was not you, do nothing: the account keeps its address.",
    ].join("\n\n")}\n`,
  };
}
