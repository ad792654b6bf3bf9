import { isIP } from "node:net";

import { roles } from "@carillon/contract";

import type { Realm } from "../realms.ts";
import type { Site } from "../site.ts";
import type { Account } from "./account.ts";

/** Returns the organization's host name, without a port: the domain of generated addresses. */
export function hostOf(site: Pick<Site, "url">, realm: Pick<Realm, "subdomain">): string {
  const { hostname } = new URL(site.url);
  return realm.subdomain === "" ? hostname : `${realm.subdomain}.${hostname}`;
}

/** Whether the site's host is a name and can have subdomains; an IP address cannot. */
export function hasSubdomains(site: Pick<Site, "url">): boolean {
  return isIP(new URL(site.url).hostname.replace(/^\[|\]$/g, "")) === 0;
}

/** Returns the organization's URL for clients, without a trailing slash. */
export function realmUrl(site: Pick<Site, "url">, realm: Pick<Realm, "subdomain">): string {
  if (realm.subdomain === "") return site.url;
  const url = new URL(site.url);
  url.hostname = hostOf(site, realm);
  return url.href.replace(/\/$/, "");
}

/**
 * `email_address_visibility` of accounts whose address is public; other accounts are shown as `user{id}@` and the host.
 */
export const visibleToEveryone = 1;

const localPart = /^[^\s@"(),:;<>[\]\\\p{Cc}\p{Cs}]{1,64}$/u;
const label = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

/** Maximum length of the column. */
const maxLength = 254;

/** Whether the text has the syntax of an e-mail address; only a delivery can show more. */
export function isEmailAddress(text: string): boolean {
  if (text.length > maxLength) return false;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  // Other forms of letters, such as the Kelvin sign, would pass for the letters of a listed domain.
  if (domain !== domain.normalize("NFKC")) return false;
  const labels = domain.split(".");
  if (at < 1 || !localPart.test(local) || /^\.|\.\.|\.$/.test(local)) return false;
  if (!labels.every((part) => label.test(part))) return false;
  return labels.length > 1 || labels[0] === "localhost";
}

/** The fields of an account that decide what it can see. */
export type Viewer = Pick<Account, "id" | "role">;

type AddressOwner = Pick<Account, "isBot" | "emailAddressVisibility">;

/** The values of `email_address_visibility` that show an address to each role. */
const revealing: Readonly<Record<number, readonly number[]>> = {
  [roles.owner]: [1, 2, 3, 5],
  [roles.administrator]: [1, 2, 3, 5],
  [roles.moderator]: [1, 2, 5],
  [roles.member]: [1, 2],
  [roles.guest]: [1],
};

/** Returns the values of `email_address_visibility` that show an address to the role. */
export function visibilitiesSeenBy(role: number): readonly number[] {
  return revealing[role] ?? [];
}

const allRoles = Object.keys(revealing).map(Number);

/** Roles by value of `email_address_visibility`; a value that shows the address to no role is missing. */
const rolesByVisibility: ReadonlyMap<number, readonly number[]> = new Map(
  Object.values(revealing)
    .flat()
    .map((visibility) => [
      visibility,
      allRoles.filter((role) => visibilitiesSeenBy(role).includes(visibility)),
    ]),
);

/**
 * Returns the roles that can see the account's delivery address; precomputed, because it is called for each message's
 * sender.
 */
export function rolesSeeingAddress(account: AddressOwner): readonly number[] {
  return account.isBot ? allRoles : (rolesByVisibility.get(account.emailAddressVisibility) ?? []);
}

/** Whether other accounts of the role can see the delivery address of `account`; the account itself always can. */
export function showsAddressTo(account: AddressOwner, role: number): boolean {
  return rolesSeeingAddress(account).includes(role);
}
