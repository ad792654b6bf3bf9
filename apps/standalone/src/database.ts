import { applyMigrations, connectDatabase } from "@carillon/db";
import { checkSecretKey, createFirstOrganization } from "@carillon/domain";
import { secretsOf } from "@carillon/model";
import { prepareQueues } from "@carillon/queue";
import type { Logger } from "@carillon/kit";
import type { CreateOrganization } from "./first-organization.ts";

/** Migrates the database, and the queues' own tables or keys. */
export async function migrate(
  databaseUrl: string,
  redisUrl: string | undefined,
  log: Logger,
): Promise<void> {
  const applied = await applyMigrations(databaseUrl);
  log.info({ applied }, "migrated");
  await prepareQueues({ databaseUrl, redisUrl, log });
}

/** Creates the first organization through the domain's actions. */
export function createOrganization(
  { databaseUrl, secretKey, url }: { databaseUrl: string; secretKey: string; url: string },
  log: Logger,
): CreateOrganization {
  return async (accounts, name) => {
    const db = await connectDatabase(databaseUrl, { max: 1, name: "standalone" });
    try {
      const secrets = secretsOf(secretKey);
      await checkSecretKey(db, secrets);
      const uploads = { maxFileSize: 0, quota: undefined };
      const site = { url, secrets, development: false, pushConfigured: false, uploads };
      const { created } = await createFirstOrganization(db, site, {
        demo: accounts.length > 1,
        accounts,
        ...(name !== undefined && { name }),
      });
      log.info({ created, accounts: accounts.length }, "checked the first organization");
      return created;
    } finally {
      await db.close();
    }
  };
}
