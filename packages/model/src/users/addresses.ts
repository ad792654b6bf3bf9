import { isIP } from "node:net";

import { roles } from "@carillon/contract";

import type { Realm } from "../realms.ts";
import type { Site } from "../site.ts";
import type { Account } from "./account.ts";

/** The organization's host name, without a port: the domain of the addresses that it makes up. */
export function hostOf(site: Pick<Site, "url">, realm: Pick<Realm, "subdomain">): string {
  const { hostname } = new URL(site.url);
  return realm.subdomain === "" ? hostname : `${realm.subdomain}.${hostname}`;
}

/** Whether the site's address has a name, before which a subdomain can stand; an IP address has none. */
export function hasSubdomains(site: Pick<Site, "url">): boolean {
  return isIP(new URL(site.url).hostname.replace(/^\[|\]$/g, "")) === 0;
}

/** The organization's address for clients, without a slash at the end. */
export function realmUrl(site: Pick<Site, "url">, realm: Pick<Realm, "subdomain">): string {
  if (realm.subdomain === "") return site.url;
  const url = new URL(site.url);
  url.hostname = hostOf(site, realm);
  return url.href.replace(/\/$/, "");
}

/** `email_address_visibility` of those whose address everyone sees; others are shown as `user{id}@` and the host. */
export const visibleToEveryone = 1;

const localPart = /^[^\s@"(),:;<>[\]\\\p{Cc}\p{Cs}]{1,64}$/u;
const label = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

/** What a column holds. */
const maxLength = 254;

/** Whether the text is shaped like an e-mail address: no more than that, since only a delivery tells. */
export function isEmailAddress(text: string): boolean {
  if (text.length > maxLength) return false;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  const labels = text.slice(at + 1).split(".");
  if (at < 1 || !localPart.test(local) || /^\.|\.\.|\.$/.test(local)) return false;
  if (!labels.every((part) => label.test(part))) return false;
  return labels.length > 1 || labels[0] === "localhost";
}

/** Who looks, as far as it matters to what is shown. */
export type Viewer = Pick<Account, "id" | "role">;

type Addressed = Pick<Account, "isBot" | "emailAddressVisibility">;

/** For each role the values of `email_address_visibility` that reveal an address to it. */
const revealing: Readonly<Record<number, readonly number[]>> = {
  [roles.owner]: [1, 2, 3, 5],
  [roles.administrator]: [1, 2, 3, 5],
  [roles.moderator]: [1, 2, 5],
  [roles.member]: [1, 2],
  [roles.guest]: [1],
};

/** The values of `email_address_visibility` with which people show their address to the role. */
export function visibilitiesSeenBy(role: number): readonly number[] {
  return revealing[role] ?? [];
}

const allRoles = Object.keys(revealing).map(Number);

/** By the value of `email_address_visibility`; one that nobody sees by has none. */
const rolesByVisibility: ReadonlyMap<number, readonly number[]> = new Map(
  Object.values(revealing)
    .flat()
    .map((visibility) => [
      visibility,
      allRoles.filter((role) => visibilitiesSeenBy(role).includes(visibility)),
    ]),
);

/** The roles that see the account's delivery address; asked of the sender of each message, and so known beforehand. */
export function rolesSeeingAddress(account: Addressed): readonly number[] {
  return account.isBot ? allRoles : (rolesByVisibility.get(account.emailAddressVisibility) ?? []);
}

/** Whether accounts of the role see the delivery address of `account`; its own it always sees. */
export function showsAddressTo(account: Addressed, role: number): boolean {
  return rolesSeeingAddress(account).includes(role);
}
