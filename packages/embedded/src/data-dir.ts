import { StartupError } from "@carillon/kit";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/**
 * Makes the folder that holds everything the standalone keeps, mode 0700, and proves that it can be written.
 * @returns its absolute path
 * @throws StartupError that names DATA_DIR
 */
export async function prepareDataDir(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  const probe = join(path, `.probe-${process.pid}`);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
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
