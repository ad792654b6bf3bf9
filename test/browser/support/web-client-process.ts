import type { Database } from "@carillon/db";
import {
  clientOf,
  type GatewayClient,
  installation,
  organization,
  reservePort,
  type TestAccount,
  type TestOrganization,
  type TestProcess,
  useDatabase,
  useProcesses,
  user,
} from "@carillon/testkit";
import { buildClient } from "./built-client.ts";
import { type OpenPage, useChromium } from "./chromium.ts";
import { openClient, type OpenOptions } from "./open-client.ts";

/** The browser client at a gateway process that tests kill, freeze and start again at the same address. */
export interface WebClientProcess {
  readonly db: Database;
  readonly url: string;
  readonly org: TestOrganization;
  /** The running gateway. */
  readonly gateway: TestProcess;
  /** Starts a gateway in place of one that was killed. */
  readonly restart: () => Promise<void>;
  readonly as: (account: TestAccount) => GatewayClient;
  readonly person: (fullName: string, password?: string) => Promise<TestAccount>;
  /** Opens a page of the client; with an account it is signed in. */
  readonly open: (hash: string, options?: OpenOptions) => Promise<OpenPage>;
}

/** Builds the browser client and serves it by a process to the tests of the enclosing `describe`. */
export function useWebClientProcess(): () => WebClientProcess {
  const newPage = useChromium();
  const db = useDatabase();
  const processes = useProcesses();
  let scene: WebClientProcess | undefined;
  before("start a gateway with the browser client", async () => {
    const port = await reservePort();
    const url = `http://127.0.0.1:${port}`;
    await buildClient(url);
    const org = await organization(db, { subdomain: "", name: "Herons" });
    const start = () =>
      processes.gateway({ ...installation(db.url), PORT: String(port), PUBLIC_URL: url });
    let gateway = await start();
    scene = {
      db,
      url,
      org,
      get gateway() {
        return gateway;
      },
      async restart() {
        gateway = await start();
      },
      as: (account) => clientOf(url, account),
      person: (fullName, password) =>
        user(db, org.realm, { fullName, ...(password !== undefined && { password }) }),
      open: (hash, options) => openClient(newPage, url, hash, options),
    };
  });
  return () => {
    if (!scene) throw new Error("the browser client is served only while tests run");
    return scene;
  };
}
