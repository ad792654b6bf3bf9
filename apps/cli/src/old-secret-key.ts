import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { StartupError } from "@carillon/kit";

import { reserveFile } from "./credentials.ts";

/** A file with a SECRET_KEY that is about to be replaced. */
export interface OldKeyFile {
  readonly path: string;
  /** Removes it where the key was not replaced; one that was there before stays. */
  forget(): Promise<void>;
}

/**
 * Keeps a SECRET_KEY that is about to be replaced, for the backups that it opens, in a file of mode 0600.
 * @param file undefined: one of `old-secret-keys` in `dataDir`, named for the time
 * @throws StartupError where it cannot be written: without it those backups would be lost
 */
export async function keepOldKey(
  secretKey: string,
  file: string | undefined,
  dataDir: string,
): Promise<OldKeyFile> {
  const path = file === undefined ? await placeFor(secretKey, resolve(dataDir)) : resolve(file);
  // Of a rotation that was killed.
  if (await holds(path, secretKey)) return { path, forget: async () => {} };
  reserveFile(path);
  await writeFile(path, `${secretKey}\n`, { flag: "r+", flush: true });
  return { path, forget: () => rm(path, { force: true }) };
}

async function placeFor(secretKey: string, dataDir: string): Promise<string> {
  const folder = join(dataDir, "old-secret-keys");
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (error) {
    throw new StartupError(
      `the old SECRET_KEY cannot be kept in ${folder} (${(error as NodeJS.ErrnoException).code}): name a file with --old-key-file`,
    );
  }
  for (const name of await readdir(folder))
    if (await holds(join(folder, name), secretKey)) return join(folder, name);
  return join(folder, `until-${new Date().toISOString().replaceAll(":", "-")}`);
}

async function holds(path: string, secretKey: string): Promise<boolean> {
  return (await readFile(path, "utf8").catch(() => "")) === `${secretKey}\n`;
}
