import { applyMigrations } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";

import type { Context } from "../context.ts";
import { withInstallation } from "../installation.ts";

/** Applies the migrations of the database and, if the queues are on PostgreSQL, of BullMQ's tables. */
export async function migrate(context: Context): Promise<void> {
  await withInstallation(context, async ({ databaseUrl, env }) => {
    const applied = await applyMigrations(databaseUrl);
    await prepareQueues({ databaseUrl, redisUrl: env.REDIS_URL, log: silentLogger });
    context.terminal.say(
      applied.length > 0 ? `Applied ${applied.join(", ")}.` : "Nothing to apply.",
    );
  });
}
