import { type Sql, statement } from "@carillon/db";
import type { Letter } from "@carillon/mail";
import { realmUrl, type Site, usesProvider } from "@carillon/model";

import { resetHours } from "./find-reset.ts";

const about = statement({
  name: "password-reset-to-tell",
  text: `SELECT r.name, r.subdomain, r.password_auth_enabled AS "passwordsAllowed", u.is_active AS "isActive",
      r.oidc_auth_enabled AS "providerAllowed", u.password_hash IS NOT NULL AS "hasPassword",
      u.delivery_email AS address, p.key_sealed AS "keySealed"
    FROM password_resets p JOIN users u ON u.id = p.user_id JOIN realms r ON r.id = p.realm_id
    WHERE p.realm_id = $1 AND p.id = $2 AND p.ended_at IS NULL AND NOT r.deactivated
      AND u.delivery_email = p.email AND p.created_at > now() - make_interval(hours => ${resetHours})`,
});

/**
 * Makes the mail of a requested password reset. It has the link, or says that the account is deactivated, or that the
 * person signs in without a password. Undefined if the link has been used or has expired meanwhile.
 */
export async function resetMail(
  sql: Sql,
  site: Site,
  realmId: number,
  { resetId }: { readonly resetId: number },
): Promise<Letter | undefined> {
  const [found] = await sql.rows(about, [realmId, resetId]);
  if (!found) return undefined;
  const { name, address, isActive, keySealed } = found;
  const byProvider = found.providerAllowed && usesProvider(site.identityProvider, found);
  const byPassword = found.passwordsAllowed && (found.hasPassword || !byProvider);
  const url = realmUrl(site, found);
  const asked = `Somebody, probably you, has asked for a new password for the account ${address} at ${name} (${url}).`;
  const ignore = "If that was not you, do nothing: the password stays as it is.";
  const paragraphs = !isActive
    ? [asked, "The account is deactivated. An administrator of the organization can reactivate it."]
    : !byPassword
      ? [
          asked,
          "The account is not used with a password. To sign in, open this page:",
          `${url}/accounts/login`,
        ]
      : [
          asked,
          `To set a new password, open this page within ${resetHours} hours:`,
          `${url}/accounts/password/reset/${site.secrets.open(keySealed)}`,
          ignore,
        ];
  return {
    to: address,
    senderName: name,
    subject: `Your password for ${name}`,
    text: `${paragraphs.join("\n\n")}\n`,
  };
}

const done = statement({
  name: "password-change-to-tell",
  text: `SELECT r.name, r.subdomain, u.delivery_email AS address,
      coalesce((a.extra_data->>'new_api_key')::boolean, false) AS "newApiKey"
    FROM audit_log a JOIN users u ON u.id = a.modified_user_id JOIN realms r ON r.id = a.realm_id
    WHERE a.realm_id = $1 AND a.id = $2`,
});

/**
 * Makes the mail that tells a person of their new password.
 * @param wanted `auditId`: id of the reset's entry in the audit log
 */
export async function passwordChangedMail(
  sql: Sql,
  site: Site,
  realmId: number,
  { auditId }: { readonly auditId: number },
): Promise<Letter | undefined> {
  const [found] = await sql.rows(done, [realmId, auditId]);
  if (!found) return undefined;
  const { name, address, newApiKey } = found;
  const url = realmUrl(site, found);
  return {
    to: address,
    senderName: name,
    subject: `Your password for ${name} was changed`,
    text: `${[
      `The password of the account ${address} at ${name} (${url}) was changed by the link of a mail to this address.`,
      newApiKey
        ? "The API key was replaced too: apps and bots that use the old one have to sign in again."
        : "The API key is the same as before: apps that are signed in stay so.",
      "If that was not you, ask for another reset at once, and tick the box that replaces the API key:",
      `${url}/accounts/password/reset`,
    ].join("\n\n")}\n`,
  };
}
