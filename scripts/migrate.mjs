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
  await build();
  const { applyMigrations } = await import("@carillon/db");
  try {
    const applied = await applyMigrations(url);
    console.log(applied.length > 0 ? `Applied ${applied.join(", ")}.` : "Nothing to apply.");
  } catch (error) {
    throw new StepError(`DATABASE_URL: the migration failed: ${error.message}`);
  }
});
