import { mkdir } from "node:fs/promises";
import {
  createLogger,
  publicUrl,
  readEnvironment,
  required,
  runMain,
  StartupError,
} from "@carillon/kit";
import { createOrganization, migrate } from "../apps/standalone/dist/database.js";
import { ensureFirstOrganization } from "../apps/standalone/dist/first-organization.js";
import { CredentialFiles } from "../apps/standalone/dist/zuliprc.js";

// The one-shot of a deployment, before its processes start: migrates the database of DATABASE_URL, prepares the
// queues, and at the first time makes the organization, whose credentials lie in DATA_DIR/zuliprc then.
await runMain(async () => {
  const env = readEnvironment();
  const log = createLogger("prepare", { level: env.LOG_LEVEL });
  const databaseUrl = required(env, "DATABASE_URL", "the PostgreSQL to prepare");
  const secretKey = required(env, "SECRET_KEY", "the secret that all processes share");
  await mkdir(env.DATA_DIR, { recursive: true, mode: 0o700 }).catch((error) => {
    throw new StartupError(`DATA_DIR ${env.DATA_DIR} cannot be made: ${error.message}`);
  });
  await migrate(databaseUrl, env.REDIS_URL, log);
  const url = publicUrl(env);
  await ensureFirstOrganization({
    files: new CredentialFiles(env.DATA_DIR),
    demo: env.DEMO,
    site: url,
    create: createOrganization({ databaseUrl, secretKey, url }, log),
  });
});
