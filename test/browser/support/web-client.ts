import type { Database } from "@carillon/db";
import {
  type Gateway,
  organization,
  startGateway,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  usePictureWorker,
  user,
} from "@carillon/testkit";
import { buildClient } from "./built-client.ts";
import { type OpenPage, useChromium } from "./chromium.ts";
import { openClient, type OpenOptions } from "./open-client.ts";

/** The browser client at a gateway of its own, with one organization. */
export interface WebClientScene {
  readonly db: Database;
  readonly gateway: Gateway;
  readonly org: TestOrganization;
  /** A member with a name and a password. */
  readonly person: (fullName: string, password?: string) => Promise<TestAccount>;
  /** Opens a page of the client; with an account it is signed in. */
  readonly open: (hash: string, options?: OpenOptions) => Promise<OpenPage>;
}

/** Builds the browser client and serves it to the tests of the enclosing `describe`. */
export function useWebClient(): () => WebClientScene {
  const newPage = useChromium();
  const db = useDatabase();
  usePictureWorker(db);
  let scene: WebClientScene | undefined;
  before("serve the browser client", async () => {
    const webClient = await buildClient("http://127.0.0.1");
    const gateway = await startGateway(db, { site: { development: true }, app: { webClient } });
    const org = await organization(db, { subdomain: "", name: "Herons" });
    scene = {
      db,
      gateway,
      org,
      person: (fullName, password) =>
        user(db, org.realm, { fullName, ...(password !== undefined && { password }) }),
      open: (hash, options) => openClient(newPage, gateway.url, hash, options),
    };
  });
  after(() => scene?.gateway.close());
  return () => {
    if (!scene) throw new Error("the browser client is served only while tests run");
    return scene;
  };
}
