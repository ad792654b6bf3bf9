import type { Database } from "@carillon/db";
import {
  type Gateway,
  type GatewayOptions,
  type OpenIdProvider,
  organization,
  reservePort,
  startGateway,
  startOpenIdProvider,
  type TestOrganization,
  useDatabase,
} from "@carillon/testkit";

/** One organization at an address of its own, whose people can also sign in at a scripted identity provider. */
export interface SiteWithProvider {
  readonly db: Database;
  readonly url: string;
  readonly org: TestOrganization;
  readonly gateway: Gateway;
  readonly provider: OpenIdProvider;
}

export interface SiteOptions {
  /** The organization's name. */
  readonly name?: string;
  /** Prepares the organization, and returns further options of the gateway. */
  readonly prepare?: (site: Omit<SiteWithProvider, "gateway">) => Promise<GatewayOptions | void>;
}

/** Serves an organization with an identity provider to the tests of the enclosing `describe`. */
export function useSiteWithProvider({ name, prepare }: SiteOptions): () => SiteWithProvider {
  const db = useDatabase();
  let provider: OpenIdProvider | undefined;
  let site: SiteWithProvider | undefined;
  before("serve an organization with an identity provider", async () => {
    const port = await reservePort();
    const url = `http://127.0.0.1:${port}`;
    const org = await organization(db, { subdomain: "", ...(name !== undefined && { name }) });
    provider = await startOpenIdProvider({
      returnAddress: `${url}/complete/oidc/`,
      person: { sub: "nobody" },
    });
    const parts = { db, url, org, provider };
    const options = (await prepare?.(parts)) ?? {};
    const gateway = await startGateway(db, {
      ...options,
      site: { url, identityProvider: provider.config, ...options.site },
      port,
    });
    site = { ...parts, gateway };
  });
  after(() => Promise.all([site?.gateway.close(), provider?.close()]));
  return () => {
    if (!site) throw new Error("the organization is served only while tests run");
    return site;
  };
}
