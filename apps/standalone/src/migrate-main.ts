import { applyMigrations } from "@carillon/db";
import {
  directDatabaseUrl,
  readEnvironment,
  runMain,
  silentLogger,
  StartupError,
} from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";

// npm run migrate: brings the database of DATABASE_URL to the state that this version was built with.
await runMain(async () => {
  const env = readEnvironment();
  const databaseUrl = directDatabaseUrl(env);
  const redisUrl = env.REDIS_URL;
  if (!databaseUrl) {
    throw new StartupError(
      "DATABASE_URL is not set: give the PostgreSQL to migrate. The embedded one is migrated by `npm start`.",
    );
  }
  try {
    const applied = await applyMigrations(databaseUrl);
    // The queues' own tables lie in the same database, unless they are on Redis.
    await prepareQueues({ databaseUrl, redisUrl, log: silentLogger });
    console.log(applied.length > 0 ? `Applied ${applied.join(", ")}.` : "Nothing to apply.");
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The migration failed: ${(error as Error).message}`);
  }
});
