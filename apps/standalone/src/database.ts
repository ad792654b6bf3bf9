import { applyMigrations } from "@carillon/db";
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
  (_databaseUrl, _secretKey, log) => () => {
    log.warn("the first organization cannot be made yet");
    return Promise.resolve(false);
  };
