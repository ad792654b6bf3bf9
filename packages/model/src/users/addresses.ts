import { isIP } from "node:net";

import type { Realm } from "../realms/realm.ts";
import type { Site } from "../site/site.ts";

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
