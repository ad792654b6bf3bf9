import { mkdir } from "node:fs/promises";
import {
  createLogger,
  directDatabaseUrl,
  publicUrl,
  readEnvironment,
  required,
  runMain,
  StartupError,
} from "@carillon/kit";
import { createOrganization, migrate } from "./database.ts";
import { ensureFirstOrganization } from "./first-organization.ts";
import { plannedOrganization } from "./planned-organization.ts";
import { CredentialFiles } from "./zuliprc.ts";

// node apps/standalone/dist/prepare-main.js: prepares an installation before the processes of a version start. Migrates
// the database of DATABASE_URL, prepares the queues, and on the first run creates the organization that the variables
// name, with its credentials in DATA_DIR/zuliprc.
await runMain(async () => {
  // Ends when its parent is gone: the next standalone prepares again, and two must not prepare at the same time.
  const orphaned = () => process.exit(1);
  process.once("disconnect", orphaned);
  const env = readEnvironment();
  const log = createLogger("prepare", { level: env.LOG_LEVEL });
  const databaseUrl =
    directDatabaseUrl(env) ?? required(env, "DATABASE_URL", "the PostgreSQL to prepare");
  const secretKey = required(env, "SECRET_KEY", "the secret that all processes share");
  await mkdir(env.DATA_DIR, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new StartupError(`DATA_DIR ${env.DATA_DIR} cannot be created: ${error.message}`);
  });
  const planned = plannedOrganization(env);
  await migrate(databaseUrl, env.REDIS_URL, log);
  if (!planned)
    log.info("no organization is created: see ORGANIZATION_NAME, or carillon organization create");
  const url = publicUrl(env);
  await ensureFirstOrganization({
    files: new CredentialFiles(env.DATA_DIR),
    planned,
    site: url,
    create: createOrganization({ databaseUrl, secretKey, url }, log),
  });
  process.off("disconnect", orphaned);
});
