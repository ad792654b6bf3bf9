import { writeFileSync } from "node:fs";
import type { Account } from "@carillon/model";
import { StartupError } from "@carillon/kit";

/**
 * The file by which clients log in.
 * @param site the address of the account's organization
 */
export function zuliprc(site: string, account: Account, apiKey: string): string {
  return `[api]\nemail=${account.deliveryEmail}\nkey=${apiKey}\nsite=${site}\n`;
}

/**
 * Reserves the name of a file with credentials, so that no key is made which then cannot be kept. Who calls it can
 * hold the file before anything else happens.
 * @throws StartupError where there is such a file, or cannot be
 */
export function reserveFile(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      code === "EEXIST" ? `${path} is there already` : `${path} cannot be written (${code})`,
    );
  }
}
