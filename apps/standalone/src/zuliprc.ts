import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FirstAccount } from "@carillon/domain";
import { zuliprc } from "@carillon/kit";

/** Matches the address in a file that `prepare` has written. */
const ourForm = /^(\[api\]\nemail=.+\nkey=.+\n)site=(.+)\n$/;

async function clientFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(".zuliprc")).map((name) => join(folder, name));
}

/** Writes the file atomically: a crash leaves the old file or none. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.temporary`;
  await writeFile(temporary, text, { mode: 0o600 });
  await rename(temporary, path);
}

/**
 * Credential files (0600) of the first accounts in `DATA_DIR/zuliprc`: one `NAME.zuliprc` each, in the format that clients
 * read, and `accounts.json` with the passwords. They wait in a folder beside it until the organization is committed, so
 * that a crash in between loses neither.
 */
export class CredentialFiles {
  readonly folder: string;
  readonly #waiting: string;

  constructor(dataDir: string) {
    this.folder = join(dataDir, "zuliprc");
    this.#waiting = join(dataDir, "zuliprc.new");
  }

  /** Reads the credentials of an interrupted attempt. */
  async waiting(): Promise<FirstAccount[] | undefined> {
    try {
      const text = await readFile(join(this.#waiting, "accounts.json"), "utf8");
      return JSON.parse(text) as FirstAccount[];
    } catch {
      return undefined;
    }
  }

  /**
   * Writes the files of accounts that are to be created; {@link publish} makes them visible.
   * @param site the address that clients call: `PUBLIC_URL`
   */
  async prepare(accounts: readonly FirstAccount[], site: string): Promise<void> {
    await rm(this.#waiting, { recursive: true, force: true });
    await mkdir(this.#waiting, { mode: 0o700 });
    for (const { name, email, apiKey } of accounts) {
      const text = zuliprc(site, email, apiKey);
      await writeFile(join(this.#waiting, `${name}.zuliprc`), text, { mode: 0o600 });
    }
    // Written last: if it exists after a crash, all files are complete.
    const temporary = join(this.#waiting, "accounts.temporary");
    await writeFile(temporary, `${JSON.stringify(accounts, null, 2)}\n`, { mode: 0o600 });
    await rename(temporary, join(this.#waiting, "accounts.json"));
  }

  /** Publishes the files: the organization has these accounts. */
  async publish(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await rename(this.#waiting, this.folder);
  }

  /** Deletes the files: the existing organization does not have these accounts. */
  async discard(): Promise<void> {
    await rm(this.#waiting, { recursive: true, force: true });
  }

  published(): boolean {
    return existsSync(this.folder);
  }

  /**
   * Replaces the address in the files that name `before`. Files that a person has changed stay as they are.
   * @param before the address that was written; undefined if it is unknown: replaces any address
   */
  async moveTo(site: string, before: string | undefined): Promise<void> {
    for (const path of [
      ...(await clientFiles(this.folder)),
      ...(await clientFiles(this.#waiting)),
    ]) {
      const text = await readFile(path, "utf8");
      const [, head, written] = ourForm.exec(text) ?? [];
      if (written === undefined || written === site || written !== (before ?? written)) continue;
      await replaceFile(path, `${head}site=${site}\n`);
    }
  }

  /**
   * Writes a file (0600) with which curl logs in as the account: `curl --config FILE`.
   * @returns its path; undefined if the account has no file
   */
  async curlConfig(name: FirstAccount["name"]): Promise<string | undefined> {
    const credentials = await this.credentials(name);
    if (!credentials) return undefined;
    const path = join(this.folder, `${name}.curlrc`);
    const user = `${credentials.email}:${credentials.key}`.replaceAll(/["\\]/g, "\\$&");
    await replaceFile(path, `user = "${user}"\n`);
    return path;
  }

  /** Reads e-mail and key from an account's file; undefined without the file. */
  async credentials(
    name: FirstAccount["name"],
  ): Promise<{ email: string; key: string } | undefined> {
    const text = await readFile(join(this.folder, `${name}.zuliprc`), "utf8").catch(() => "");
    const email = /^email=(.+)$/m.exec(text)?.[1];
    const key = /^key=(.+)$/m.exec(text)?.[1];
    return email && key ? { email, key } : undefined;
  }
}
