import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { deleteSecret, startEmbeddedPostgres, testSettings } from "@carillon/embedded";
import { silentLogger, whenNeeded } from "@carillon/kit";
import { runFolder } from "./servers.ts";
import { administer } from "./template.ts";

const lockKey = 72_707_371;

/**
 * Creates a `DATA_DIR` whose embedded PostgreSQL is initialised and empty: a copy of one that is made once in a run.
 * Initialising takes 1 s of a processor, and a copy 0.1 s.
 * @param dataDir must not exist, unlike its parent
 */
export async function copyInitialisedDataDir(dataDir: string): Promise<void> {
  // Keeps owners and modes: PostgreSQL refuses to run as root, and on a folder that others may enter.
  await promisify(execFile)("cp", ["-a", await template(), dataDir]);
}

const template = whenNeeded(async () => {
  const folder = join(runFolder() ?? ownFolder(), "initialised");
  // Test files run in several processes.
  await administer(async (client) => {
    await client.query("SELECT pg_advisory_lock($1)", [lockKey]);
    if (!existsSync(folder)) await initialise(folder);
  });
  return folder;
});

async function initialise(folder: string): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  const server = await startEmbeddedPostgres({
    dataDir: unfinished,
    log: silentLogger,
    settings: testSettings,
  });
  await server.stop();
  // Each copy chooses a port, because several run at a time.
  await deleteSecret(unfinished, "POSTGRES_PORT");
  await rename(unfinished, folder);
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "carillon-initialised-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
