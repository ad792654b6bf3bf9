import { connectDatabase } from "@carillon/db";
import type { Environment } from "@carillon/kit";

import { type Finding, ok, warning } from "./finding.ts";
import { onClient } from "./on-client.ts";

/** Checks that the pooler takes transactions, and that `DATABASE_DIRECT_URL` bypasses it. Finds nothing without one. */
export async function examinePooler({
  DATABASE_URL: pooler,
  DATABASE_DIRECT_URL: direct,
}: Environment): Promise<Finding[]> {
  if (pooler === undefined || direct === undefined) return [];
  const db = await connectDatabase(pooler, { max: 1, name: "doctor", directUrl: direct });
  try {
    // Sends BEGIN, which sets the limits, and COMMIT.
    await db.transaction(async () => {});
  } finally {
    await db.close();
  }
  return [ok("pooler", "takes transactions at DATABASE_URL"), await examineDirect(direct)];
}

/** Compares the process id of the start-up with that of the server process: a pooler makes up its own. */
function examineDirect(direct: string): Promise<Finding> {
  return onClient(direct, async (client) => {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    return (client as { processID?: number | null }).processID === rows[0]?.pid
      ? ok("DATABASE_DIRECT_URL", "is PostgreSQL itself")
      : warning(
          "DATABASE_DIRECT_URL",
          "is a pooler, which works only in session mode: give the address of PostgreSQL itself",
        );
  });
}
