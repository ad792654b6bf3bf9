import { html, type Html } from "@carillon/kit";
import { type Realm, realmUrl, type Site } from "@carillon/model";

/** What the address of the browser client is made of. */
export interface WebClientAddress {
  readonly site: Site;
  readonly realm: Realm;
}

/** Makes the link to the browser client; undefined if none is served. */
export function webClientLink({ site, realm }: WebClientAddress): Html | undefined {
  if (!site.webClient) return undefined;
  return html`<p><a href="${realmUrl(site, realm)}/">Open ${realm.name} in this browser</a></p>`;
}
