import { type Sql, statement } from "@carillon/db";
import type { Letter } from "@carillon/mail";
import { realmUrl, type Site } from "@carillon/model";

const about = `SELECT r.name, r.subdomain, u.delivery_email AS address`;

const ofSignIn = statement({
  name: "sign-in-to-tell",
  text: `${about}, to_char(a.event_time AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS "at"
    FROM audit_log a JOIN users u ON u.id = a.modified_user_id JOIN realms r ON r.id = a.realm_id
    WHERE a.realm_id = $1 AND a.id = $2 AND u.is_active AND NOT r.deactivated`,
});

/** Makes the mail about a sign-in at the identity provider. @param wanted `auditId`: id of the sign-in's audit entry */
export async function signedInMail(
  sql: Sql,
  site: Site,
  realmId: number,
  { auditId }: { readonly auditId: number },
): Promise<Letter | undefined> {
  const [found] = await sql.rows(ofSignIn, [realmId, auditId]);
  if (!found) return undefined;
  const { name, address, at } = found;
  return {
    to: address,
    senderName: name,
    subject: `New sign-in to ${name}`,
    text: `${[
      `Your account ${address} at ${name} (${realmUrl(site, found)}) was signed in to through ${providerOf(site)} at ${at} UTC.`,
      "If that was you, there is nothing to do. If not, change the password of your account there, and ask an administrator for a new API key here.",
    ].join("\n\n")}\n`,
  };
}

const ofLink = statement({
  name: "account-link-to-tell",
  text: `${about} FROM account_links l JOIN users u ON u.id = l.user_id JOIN realms r ON r.id = l.realm_id
    WHERE l.realm_id = $1 AND l.id = $2 AND u.is_active AND NOT r.deactivated`,
});

/** Makes the mail that tells a person that their account has been linked to the identity provider. */
export async function identityLinkedMail(
  sql: Sql,
  site: Site,
  realmId: number,
  { linkId }: { readonly linkId: number },
): Promise<Letter | undefined> {
  const [found] = await sql.rows(ofLink, [realmId, linkId]);
  if (!found) return undefined;
  const { name, address } = found;
  const provider = providerOf(site);
  return {
    to: address,
    senderName: name,
    subject: `Your account at ${name} can be signed in to through ${provider}`,
    text: `${[
      `Somebody signed in through ${provider} as ${address}, the address of your account at ${name} (${realmUrl(site, found)}). From now on, your account there opens your account here.`,
      "If that was not you, tell an administrator of the organization at once.",
    ].join("\n\n")}\n`,
  };
}

function providerOf({ identityProvider }: Site): string {
  return identityProvider?.displayName ?? "the identity provider";
}
