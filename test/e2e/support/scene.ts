import type { Database } from "@carillon/db";
import {
  organization,
  useDatabase,
  useGateway,
  type ApiCredentials,
  type Gateway,
  type GatewayClient,
  type OrganizationOverrides,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";

/** A database, a gateway on it and one organization: what every end-to-end test starts from. */
export interface Scene {
  readonly db: Database;
  readonly gateway: Gateway;
  /** There while hooks and tests run. */
  readonly org: TestOrganization;
  as(account: TestAccount | ApiCredentials): GatewayClient;
}

/** A scene for the tests of the enclosing `describe`. */
export function useScene(overrides?: OrganizationOverrides): Scene {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization | undefined;
  before("make an organization", async () => {
    org = await organization(db, overrides);
  });
  return {
    db,
    gateway,
    get org() {
      if (!org) throw new Error("the organization is there only while hooks and tests run");
      return org;
    },
    as: (account) => gateway.as(account),
  };
}

/** Requests of one account with a `User-Agent`: the client's name is its first word. */
export function withAgent(client: GatewayClient, agent: string): GatewayClient["post"] {
  return (path, params = {}) => {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(params)) {
      if (value === undefined) continue;
      body.set(name, typeof value === "string" ? value : JSON.stringify(value));
    }
    return client.send("POST", path, { body, headers: { "User-Agent": agent } });
  };
}
