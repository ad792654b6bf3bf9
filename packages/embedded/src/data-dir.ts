import { StartupError } from "@carillon/kit";
import { chmod, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/**
 * Creates the folder for all data of the standalone, mode 0700, and checks that it can be written.
 * @returns its absolute path
 * @throws StartupError that names DATA_DIR
 */
export async function prepareDataDir(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  const probe = join(path, `.probe-${process.pid}`);
  try {
    await makeFolder(path);
    await writeFile(probe, "");
    await rm(probe);
    await chmod(path, 0o700);
  } catch (error) {
    throw new StartupError(
      `DATA_DIR ${path} cannot be used (${(error as NodeJS.ErrnoException).code ?? String(error)}): it must be a folder that this user owns and may write`,
    );
  }
  return path;
}

/**
 * Like `mkdir` with `recursive`, which in Node 20 never returns if a parent exists but accepts no folders: below a
 * dangling link, or in /proc.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === path) throw error;
    await makeFolder(parent);
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (!(await stat(path)).isDirectory()) throw error;
  }
}
