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
import type { BrowserContextOptions } from "playwright-core";
import { buildClient } from "./built-client.ts";
import { type OpenPage, useChromium } from "./chromium.ts";

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

export interface OpenOptions extends BrowserContextOptions {
  readonly as?: TestAccount;
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
      async open(hash, { as: account, ...options } = {}) {
        const opened = await newPage({
          viewport: { width: 1_200, height: 800 },
          locale: "en-US",
          timezoneId: "Europe/Berlin",
          ...options,
        });
        if (account)
          await opened.context.addInitScript(keepAccount, accountsOf(gateway.url, account));
        await opened.page.goto(`${gateway.url}/${hash}`);
        return opened;
      },
    };
  });
  after(() => scene?.gateway.close());
  return () => {
    if (!scene) throw new Error("the browser client is served only while tests run");
    return scene;
  };
}

/** What the client keeps in the browser for a signed-in account. */
function accountsOf(site: string, { deliveryEmail, apiKey, id }: TestAccount): string {
  return JSON.stringify({
    accounts: [{ site, email: deliveryEmail, apiKey, userId: id }],
    current: 0,
  });
}

/** Runs in the page, before its scripts. */
function keepAccount(accounts: string): void {
  const { localStorage } = globalThis as unknown as {
    localStorage: {
      getItem(key: string): string | null;
      setItem(key: string, value: string): void;
    };
  };
  if (localStorage.getItem("carillon:accounts") === null)
    localStorage.setItem("carillon:accounts", accounts);
}
