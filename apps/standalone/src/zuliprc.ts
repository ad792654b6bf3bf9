import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FirstAccount } from "@carillon/domain";

/**
 * The credentials of the first accounts as files (0600) in `DATA_DIR/zuliprc`: one `NAME.zuliprc` each, the
 * format that clients read, and `accounts.json` with the passwords. Until the organization is there they wait
 * in a folder beside, so that a crash between the two loses neither.
 */
export class CredentialFiles {
  readonly folder: string;
  readonly #waiting: string;

  constructor(dataDir: string) {
    this.folder = join(dataDir, "zuliprc");
    this.#waiting = join(dataDir, "zuliprc.new");
  }

  /** Credentials of an attempt that was cut off. */
  async waiting(): Promise<FirstAccount[] | undefined> {
    try {
      const text = await readFile(join(this.#waiting, "accounts.json"), "utf8");
      return JSON.parse(text) as FirstAccount[];
    } catch {
      return undefined;
    }
  }

  /** @param site what clients are to call: `PUBLIC_URL` */
  async prepare(accounts: readonly FirstAccount[], site: string): Promise<void> {
    await rm(this.#waiting, { recursive: true, force: true });
    await mkdir(this.#waiting, { mode: 0o700 });
    for (const { name, email, apiKey } of accounts) {
      const text = `[api]\nemail=${email}\nkey=${apiKey}\nsite=${site}\n`;
      await writeFile(join(this.#waiting, `${name}.zuliprc`), text, { mode: 0o600 });
    }
    // Last: what is read back after a crash is whole.
    const half = join(this.#waiting, "accounts.half");
    await writeFile(half, `${JSON.stringify(accounts, null, 2)}\n`, { mode: 0o600 });
    await rename(half, join(this.#waiting, "accounts.json"));
  }

  /** The organization has these accounts now. */
  async publish(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await rename(this.#waiting, this.folder);
  }

  /** There was an organization, and it does not know these accounts. */
  async discard(): Promise<void> {
    await rm(this.#waiting, { recursive: true, force: true });
  }

  published(): boolean {
    return existsSync(this.folder);
  }

  /** E-mail and key of one account's file; undefined when there is no such file. */
  async credentials(
    name: FirstAccount["name"],
  ): Promise<{ email: string; key: string } | undefined> {
    const text = await readFile(join(this.folder, `${name}.zuliprc`), "utf8").catch(() => "");
    const email = /^email=(.+)$/m.exec(text)?.[1];
    const key = /^key=(.+)$/m.exec(text)?.[1];
    return email && key ? { email, key } : undefined;
  }
}
