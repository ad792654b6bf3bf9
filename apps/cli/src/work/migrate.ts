import { applyMigrations } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";

import type { Context } from "../context.ts";
import { onInstallation } from "../installation.ts";

/** Brings the database, and the queues' tables where they are there, to this build's state. */
export async function migrate(context: Context): Promise<void> {
  await onInstallation(context, async ({ databaseUrl, env }) => {
    const applied = await applyMigrations(databaseUrl);
    await prepareQueues({ databaseUrl, redisUrl: env.REDIS_URL, log: silentLogger });
    context.terminal.say(
      applied.length > 0 ? `Applied ${applied.join(", ")}.` : "Nothing to apply.",
    );
  });
}
