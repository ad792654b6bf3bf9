import { StartupError } from "@carillon/kit";

import { onClient } from "../doctor/on-client.ts";

/**
 * Runs `work` unless another process moves files: after a failure, one would delete what the other has copied. The lock
 * belongs to a connection of its own, because a transaction must not stay open while bytes flow.
 * @throws StartupError when another process moves files
 */
export async function alone(databaseUrl: string, work: () => Promise<void>): Promise<void> {
  await onClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ locked: boolean }>(
      "SELECT pg_try_advisory_lock(hashtext('carillon files move')) AS locked",
    );
    if (!rows[0]?.locked) throw new StartupError("carillon files move runs already");
    await work();
  });
}
