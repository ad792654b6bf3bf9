import { hasSubdomains, realmUrl, type Realm } from "@carillon/model";
import { StartupError } from "@carillon/kit";

import type { Context } from "./context.ts";
import type { ConnectedInstallation } from "./installation.ts";

type Place = Pick<ConnectedInstallation, "site" | "addressIsKnown">;

/** Returns why clients cannot reach an organization at the site's URL; undefined if they can. */
export function whyUnreachable({ site }: Place, { name, subdomain }: Realm): string | undefined {
  if (subdomain === "" || hasSubdomains(site)) return undefined;
  const { protocol, port } = new URL(site.url);
  const rest = port && `:${port}`;
  return `${site.url} has no host name, and the subdomain of ${name} needs one: start the server with a PUBLIC_URL such as ${protocol}//localhost${rest}, and it is at ${protocol}//${subdomain}.localhost${rest}`;
}

/**
 * Returns the URL of an organization, for a file that clients read. Notes on standard error when it is only assumed.
 * @throws StartupError when clients cannot reach it
 */
export function addressOf({ terminal }: Context, place: Place, realm: Realm): string {
  const why = whyUnreachable(place, realm);
  if (why !== undefined) throw new StartupError(why);
  const address = realmUrl(place.site, realm);
  if (!place.addressIsKnown)
    terminal.note(
      `PUBLIC_URL is not set: ${address} is assumed. Set it to the address that clients use.`,
    );
  return address;
}
