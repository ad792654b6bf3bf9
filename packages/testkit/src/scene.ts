import type { Database } from "@carillon/db";
import type { ApiCredentials } from "./api-client.ts";
import { useDatabase } from "./database.ts";
import type { TestAccount } from "./factories/account.ts";
import {
  organization,
  type OrganizationOverrides,
  type TestOrganization,
} from "./factories/organization.ts";
import type { GatewayClient } from "./gateway-client.ts";
import { useGateway, type Gateway, type GatewayOptions } from "./gateway.ts";

/** A database, a gateway on it and one organization: the usual setup of tests of operations. */
export interface Scene {
  readonly db: Database;
  readonly gateway: Gateway;
  /** Available in hooks and tests only. */
  readonly org: TestOrganization;
  as(account: TestAccount | ApiCredentials): GatewayClient;
}

/** A scene for the tests of the enclosing `describe`. */
export function useScene(overrides?: OrganizationOverrides, options?: GatewayOptions): Scene {
  const db = useDatabase();
  const gateway = useGateway(db, options);
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

/** Requests of one account with a `User-Agent`, whose first word is the client's name. */
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
