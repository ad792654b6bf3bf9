import type { Realm } from "../realms/realm.ts";
import type { Site } from "../site/site.ts";

/** The organization's host name, without a port: the domain of the addresses that it makes up. */
export function hostOf(site: Pick<Site, "url">, realm: Pick<Realm, "subdomain">): string {
  const { hostname } = new URL(site.url);
  return realm.subdomain === "" ? hostname : `${realm.subdomain}.${hostname}`;
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
