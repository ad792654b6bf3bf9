import { html, type Html } from "@carillon/kit";
import { beginSignIn, beginSignUp } from "@carillon/contract";
import { offeredProvider } from "@carillon/domain";
import type { Realm, Site } from "@carillon/model";

/**
 * Makes the link to the identity provider; undefined where people cannot sign in there.
 * @param key of the link with which the person joins; undefined if the person brings none
 */
export function providerLink(site: Site, realm: Realm, key?: string): Html | undefined {
  const provider = offeredProvider(site, realm);
  if (!provider) return undefined;
  const address =
    key === undefined
      ? beginSignIn.path
      : `${beginSignUp.path}?${new URLSearchParams({ link: key }).toString()}`;
  return html`<p><a href="${address}">Continue with ${provider.displayName}</a></p>`;
}
