import { writeFileSync } from "node:fs";
import type { Account } from "@carillon/model";
import { StartupError } from "@carillon/kit";

/**
 * Makes the text of a zuliprc file, by which clients log in.
 * @param site URL of the account's organization
 */
export function zuliprc(site: string, account: Account, apiKey: string): string {
  return `[api]\nemail=${account.deliveryEmail}\nkey=${apiKey}\nsite=${site}\n`;
}

/**
 * Creates an empty file for credentials, mode 0600, before the key is made: a key that cannot be written would be lost.
 * @throws StartupError when the file exists or cannot be created
 */
export function reserveFile(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      code === "EEXIST" ? `${path} already exists` : `${path} cannot be written (${code})`,
    );
  }
}
