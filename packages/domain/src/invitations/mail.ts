import type { Sql } from "@carillon/db";
import type { Letter } from "@carillon/mail";
import { loadRealm, type Realm, realmUrl, type Site } from "@carillon/model";

import { findLinkById, hasAccount, isUsable, type Link, loadMaker } from "./usable-links.ts";

/** Returns the URL of a link's page (people.md §2). */
export function linkUrl(site: Site, realm: Pick<Realm, "subdomain">, key: string): string {
  return `${realmUrl(site, realm)}/join/${key}/`;
}

/**
 * Writes the mail with a link (people.md §1 to §3). If the link was requested on a page and the address has an account,
 * the mail says so instead.
 * @returns undefined if the link can no longer be used
 */
export async function invitationMail(
  sql: Sql,
  site: Site,
  realmId: number,
  { invitationId }: { readonly invitationId: number },
): Promise<Letter | undefined> {
  const link = await findLinkById(sql, realmId, invitationId);
  if (!link || link.email === null) return undefined;
  const realm = await loadRealm(sql, realmId);
  if (realm.deactivated) return undefined;
  if (link.kind !== "email" && (await hasAccount(sql, realmId, link.email)))
    return letter(realm, link.email, `You have an account at ${realm.name}`, [
      `Somebody, probably you, wanted to join ${realm.name} with this e-mail address, ${link.email}. There is an account with it already, so no other can be made. Sign in with it at:`,
      realmUrl(site, realm),
      "If that was not you, do nothing.",
    ]);
  if (!(await isUsable(sql, realm, link))) return undefined;
  const url = linkUrl(site, realm, site.secrets.open(link.keySealed));
  if (link.kind === "email") return inviting(sql, site, realm, link, link.email, url);
  return letter(realm, link.email, `Join ${realm.name}`, [
    `Somebody, probably you, wants to join ${realm.name} with this e-mail address, ${link.email}. To make the account, open this page within 24 hours:`,
    url,
    "If that was not you, do nothing: no account is made.",
  ]);
}

async function inviting(
  sql: Sql,
  site: Site,
  realm: Realm,
  link: Link,
  email: string,
  url: string,
): Promise<Letter> {
  const maker = await loadMaker(sql, realm.id, link);
  const name = maker?.fullName ?? "Somebody";
  return letter(realm, email, `You are invited to join ${realm.name}`, [
    `${name} invites you to join ${realm.name} (${realmUrl(site, realm)}). To make your account, open this page:`,
    url,
    "If you do not want to join, do nothing.",
  ]);
}

function letter(realm: Realm, to: string, subject: string, paragraphs: readonly string[]): Letter {
  return { to, senderName: realm.name, subject, text: `${paragraphs.join("\n\n")}\n` };
}
