import { type Realm, type Site, hostOf, isEmailAddress } from "@carillon/model";
import { errors } from "@carillon/contract";
import { statement, type Sql } from "@carillon/db";

/**
 * The address as it is stored: trimmed. `user5@HOST` is what others see of an account that hides its address: nobody
 * can have such a one.
 * @param parameter names it in the refusal
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
      `${parameter} must not be one of the addresses that the server makes up`,
    );
  return email;
}

const sameAddress = statement({
  name: "address-taken",
  text: "SELECT FROM users WHERE realm_id = $1 AND lower(delivery_email) = lower($2) AND id <> $3",
  row: {},
});

/**
 * Whether no other account has the address, in whatever case and state; the organization's own bots count.
 * @param exceptId the account that is to have it
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

/** The refusal of an address that another account has. */
export function addressTaken() {
  return errors.badRequest("Another user has this e-mail address");
}
