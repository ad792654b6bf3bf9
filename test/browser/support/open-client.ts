import type { TestAccount } from "@carillon/testkit";
import type { BrowserContextOptions } from "playwright-core";
import type { NewPage, OpenPage } from "./chromium.ts";

export interface OpenOptions extends BrowserContextOptions {
  /** The account that the browser is signed in to. */
  readonly as?: TestAccount;
  /** Runs in the context before the client is loaded. */
  readonly prepare?: (opened: OpenPage) => Promise<unknown>;
}

/**
 * Opens a page of the browser client.
 * @param url the gateway's address
 */
export async function openClient(
  newPage: NewPage,
  url: string,
  hash: string,
  { as: account, prepare, ...options }: OpenOptions = {},
): Promise<OpenPage> {
  const opened = await newPage({
    viewport: { width: 1_200, height: 800 },
    locale: "en-US",
    timezoneId: "Europe/Berlin",
    ...options,
  });
  if (account) await opened.context.addInitScript(keepAccount, accountsOf(url, account));
  await prepare?.(opened);
  await opened.page.goto(`${url}/${hash}`);
  return opened;
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
