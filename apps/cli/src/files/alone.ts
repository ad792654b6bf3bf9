import { StartupError } from "@carillon/kit";

import { onClient } from "../doctor/on-client.ts";

/**
 * Runs `work` while no other process moves files: otherwise one could delete what the other has copied. An advisory lock of
 * a separate connection ensures that, because a transaction must not stay open while bytes flow.
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
