import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { StartupError } from "@carillon/kit";

import { reserveFile } from "./credentials.ts";

/** The file that keeps a replaced SECRET_KEY. */
export interface OldKeyFile {
  readonly path: string;
  /** Removes the file after a failed rotation; a file that existed before stays. */
  forget(): Promise<void>;
}

/**
 * Writes a SECRET_KEY that is about to be replaced into a file of mode 0600, for backups made with it.
 * @param file default: a file in `old-secret-keys` of `dataDir`, named by the time
 * @throws StartupError when it cannot be written: without the key those backups would be useless
 */
export async function keepOldKey(
  secretKey: string,
  file: string | undefined,
  dataDir: string,
): Promise<OldKeyFile> {
  const path = file === undefined ? await placeFor(secretKey, resolve(dataDir)) : resolve(file);
  // An interrupted rotation has already written it.
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
