import { writeFileSync } from "node:fs";
import type { Account, Realm, Site } from "@carillon/model";
import { realmUrl } from "@carillon/model";
import { StartupError } from "@carillon/kit";

/** The file by which clients log in. */
export function zuliprc(site: Site, realm: Realm, account: Account, apiKey: string): string {
  return `[api]\nemail=${account.deliveryEmail}\nkey=${apiKey}\nsite=${realmUrl(site, realm)}\n`;
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
