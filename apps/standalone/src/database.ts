import { applyMigrations, connectDatabase } from "@carillon/db";
import { checkSecretKey, createFirstOrganization } from "@carillon/domain";
import { secretsOf } from "@carillon/model";
import { prepareQueues } from "@carillon/queue";
import type { Parts } from "./standalone.ts";

/** Brings the database to this build's state, and the queues' own tables or keys with it. */
export const migrate: Parts["migrate"] = async (databaseUrl, redisUrl, log) => {
  const applied = await applyMigrations(databaseUrl);
  log.info({ applied }, "migrated");
  await prepareQueues({ databaseUrl, redisUrl, log });
};

/** Makes the first organization with the rules' own actions. */
export const createOrganization: Parts["createOrganization"] =
  ({ databaseUrl, secretKey, url }, log) =>
  async (accounts, name) => {
    const db = await connectDatabase(databaseUrl, { max: 1, name: "standalone" });
    try {
      const secrets = secretsOf(secretKey);
      await checkSecretKey(db, secrets);
      const site = { url, secrets, development: false, pushConfigured: false };
      const { created } = await createFirstOrganization(db, site, {
        demo: accounts.length > 1,
        accounts,
        ...(name !== undefined && { name }),
      });
      log.info({ created, accounts: accounts.length }, "looked after the first organization");
      return created;
    } finally {
      await db.close();
    }
  };
