import {
  type Account,
  type Realm,
  type Site,
  checkFullName,
  isEmailAddress,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import { statement, lockKey, type Database, type Sql } from "@carillon/db";

import { createOrganization } from "../realms/create-organization.ts";
import { furnish } from "../realms/furnish.ts";
import { checkOrganizationName, checkSubdomain } from "../realms/organization-name.ts";
import { checkPassword } from "../users/check-password.ts";
import { hashPassword } from "../users/passwords.ts";

/** An organization that an operator wants, as it was typed in. */
export interface WantedOrganization {
  readonly name: string;
  readonly subdomain: string;
  readonly owner: { readonly fullName: string; readonly email: string; readonly password: string };
}

const withSubdomain = statement({
  name: "realm-with-subdomain",
  text: "SELECT FROM realms WHERE subdomain = $1",
  row: {},
});

/**
 * Makes an organization with its owner, who may create users and change e-mail addresses, and a channel, and welcomes
 * the owner.
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
  await checkSubdomainIsFree(db, subdomain);
  const passwordHash = await hashPassword(owner.password);
  return db.transaction(async (tx) => {
    await lockKey(tx, "firstOrganization", 0);
    await checkSubdomainIsFree(tx, subdomain);
    const person = { fullName, email, passwordHash };
    const created = await createOrganization(tx, site, { subdomain, name, owner: person });
    await furnish(tx, created.realm, [created.owner]);
    return { realm: created.realm, owner: created.owner, apiKey: created.ownerApiKey };
  });
}

async function checkSubdomainIsFree(sql: Sql, subdomain: string): Promise<void> {
  const taken = await sql.rows(withSubdomain, [subdomain]);
  if (taken.length === 0) return;
  throw errors.badRequest(
    subdomain === ""
      ? "there is an organization at the address itself already: give another one a subdomain"
      : `there is an organization with the subdomain ${subdomain} already`,
  );
}
