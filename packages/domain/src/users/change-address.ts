import {
  type Account,
  type Realm,
  type Site,
  audienceSeeing,
  personUpdated,
  pictureUpdated,
  rolesSeeingAddress,
  visibleToEveryone,
} from "@carillon/model";
import { type Audience, type NewEvent, errors, isOwner, roles } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";

import { checkAddressIsFree, checkNewAddress } from "./new-address.ts";

/** @throws ApiError `BAD_REQUEST` unless the actor is an owner who may change e-mail addresses (users.md §3.1) */
export function checkMayChangeAddresses(actor: Account): void {
  if (!isOwner(actor) || !actor.canChangeUserEmails)
    throw errors.badRequest("You may not change e-mail addresses");
}

/**
 * The address that the account is to have; undefined where it has it (users.md §3.5).
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
  row: {},
});

/**
 * Gives the account the address, with which it logs in from then on.
 * @returns what to tell: the delivery address to those who see it, where everybody sees it, that, and the
 *   picture that is made of it
 * @throws a unique violation (SQLSTATE 23505) when another account was given it meanwhile
 */
export async function changeAddress(tx: Tx, target: Account, address: string): Promise<NewEvent[]> {
  const isPublic = target.emailAddressVisibility === visibleToEveryone;
  const changed = {
    ...target,
    deliveryEmail: address,
    email: isPublic ? address : target.email,
  };
  const everybody = await audienceSeeing(tx, target);
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
  row: { ids: column.text },
});

/**
 * The active accounts that see the address, its own too.
 * @param everybody who sees the account
 */
async function seeingAddress(tx: Tx, account: Account, everybody: Audience): Promise<Audience> {
  const seeing = rolesSeeingAddress(account);
  if (seeing.length === Object.keys(roles).length) return everybody;
  const found = await tx.first(accountsSeeing, [account.realmId, seeing, account.id]);
  return found?.ids ?? "{}";
}
