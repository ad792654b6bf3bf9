import { build } from "./lib/build.mjs";
import { StepError, steps } from "./lib/run.mjs";

// Brings the database of DATABASE_URL to the state that this version was built with.
await steps(async () => {
  const url = process.env.DATABASE_URL;
  if (!url) {
    throw new StepError(
      "DATABASE_URL is not set: give the PostgreSQL to migrate. The embedded one is migrated by `npm start`.",
    );
  }
  await build("@carillon/db", "@carillon/queue");
  const { silentLogger, StartupError } = await import("@carillon/kit");
  const { applyMigrations } = await import("@carillon/db");
  const { prepareQueues } = await import("@carillon/queue");
  try {
    const applied = await applyMigrations(url);
    // The queues' own tables lie in the same database, unless they are on Redis.
    const redisUrl = process.env.REDIS_URL || undefined;
    await prepareQueues({ databaseUrl: url, redisUrl, log: silentLogger });
    console.log(applied.length > 0 ? `Applied ${applied.join(", ")}.` : "Nothing to apply.");
  } catch (error) {
    if (error instanceof StartupError) throw new StepError(error.message);
    throw new StepError(`The migration failed: ${error.message}`);
  }
});
