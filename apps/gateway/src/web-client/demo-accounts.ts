import { readFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { type Environment, isLoopback, publicUrl } from "@carillon/kit";

/** An account that `npm start` has made for trying Carillon. */
export interface DemoAccount {
  readonly name: string;
  readonly full_name: string;
  readonly email: string;
  readonly password: string;
}

/** Reads the demo accounts; none if there are none. */
export type ReadDemoAccounts = () => Promise<readonly DemoAccount[]>;

/** The domain of the demo accounts. An owner with another address is a person. */
const domain = "@carillon.test";

/** What the standalone writes for each account that it makes. */
interface WrittenAccount {
  readonly name: string;
  readonly fullName: string;
  readonly email: string;
  /** Bots have none. */
  readonly password: string | null;
}

/**
 * Decides whether the gateway serves the demo accounts: `DEMO` is on, and both the gateway and the address that clients use
 * are on the loopback interface of this machine.
 * @returns undefined if it does not
 */
export function demoAccountsOf(env: Environment): ReadDemoAccounts | undefined {
  const isOn = env.DEMO === "on" || (env.DEMO === undefined && env.NODE_ENV !== "production");
  if (!isOn || !isLoopback(env.HOST) || !isLoopback(new URL(publicUrl(env)).hostname))
    return undefined;
  return () => readAccounts(join(env.DATA_DIR, "zuliprc", "accounts.json"));
}

async function readAccounts(file: string): Promise<DemoAccount[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const accounts = JSON.parse(text) as WrittenAccount[];
  return accounts.flatMap(({ name, fullName, email, password }) =>
    password === null || !email.endsWith(domain)
      ? []
      : [{ name, full_name: fullName, email, password }],
  );
}

const forwarding = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/**
 * Whether a request comes from a browser or program of this machine, for its own use: no proxy has forwarded it, no other
 * site has caused it, and its `Host` names this machine, which a site that resolves to 127.0.0.1 cannot fake.
 */
export function isFromThisMachine(host: string, ip: string, headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  return (
    isLoopback(host.toLowerCase()) &&
    isLoopback(ip) &&
    (site === undefined || site === "same-origin") &&
    forwarding.every((name) => headers[name] === undefined)
  );
}
