import { createHash } from "node:crypto";
import { StartupError } from "@carillon/kit";
import type pg from "pg";

import { ask } from "./connect.ts";

/**
 * Takes an advisory lock, which is held until the connection ends.
 * @param name name of the locked thing
 * @throws StartupError with `problem` if another process has the lock
 */
export async function lockForSession(
  client: pg.Client,
  name: string,
  problem: string,
): Promise<void> {
  const key = createHash("sha256").update(name).digest().readBigInt64BE();
  const [lock] = await ask<{ held: boolean }>(client, "SELECT pg_try_advisory_lock($1) AS held", [
    key.toString(),
  ]);
  if (!lock?.held) throw new StartupError(problem);
}

/** Takes the lock of an export for the session. */
export async function lockExport(client: pg.Client, digest: string): Promise<void> {
  await lockForSession(
    client,
    `import ${digest}`,
    "another process is importing this export: wait until it has ended",
  );
}
