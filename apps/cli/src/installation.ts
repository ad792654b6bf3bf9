import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { connectDatabase, type Database } from "@carillon/db";
import { checkSecretKey } from "@carillon/domain";
import { readSecret, startEmbeddedPostgres, tryLockInstance } from "@carillon/embedded";
import {
  type Environment,
  publicUrl,
  readEnvironment,
  silentLogger,
  StartupError,
} from "@carillon/kit";
import { secretsOf, type Site } from "@carillon/model";

import type { Context } from "./context.ts";

/** What a command works on. */
export interface Installation {
  readonly env: Environment;
  readonly databaseUrl: string;
  /** Undefined where none is given or kept. */
  readonly secretKey: string | undefined;
  /** `DATA_DIR`, of one that `npm start` keeps; undefined of servers. */
  readonly dataDir: string | undefined;
}

/** The variables, read and checked. */
export function environmentOf({ variables }: Context): Environment {
  return variables ? readEnvironment(variables) : readEnvironment();
}

/**
 * Works on the installation that the variables name. The PostgreSQL of a standalone that does not run is started for the
 * time being.
 * @throws StartupError where there is none
 */
export async function onInstallation<Result>(
  context: Context,
  work: (installation: Installation) => Promise<Result>,
): Promise<Result> {
  const env = environmentOf(context);
  const { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey } = env;
  if (databaseUrl !== undefined) return work({ env, databaseUrl, secretKey, dataDir: undefined });
  const dataDir = resolve(env.DATA_DIR);
  if (!existsSync(join(dataDir, "postgres", "PG_VERSION")))
    throw new StartupError(
      `DATABASE_URL is not set, and DATA_DIR ${dataDir} has no database that npm start made: set one of them`,
    );
  const kept = secretKey ?? (await readSecret(dataDir, "SECRET_KEY"));
  return onEmbedded(dataDir, (url) => work({ env, databaseUrl: url, secretKey: kept, dataDir }));
}

/** With the PostgreSQL in `dataDir`, started for the time being where nobody has it. */
async function onEmbedded<Result>(
  dataDir: string,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const lock = tryLockInstance(dataDir);
  try {
    const postgres = await startEmbeddedPostgres({ dataDir, log: silentLogger });
    try {
      return await work(postgres.url);
    } finally {
      if ("release" in lock) await postgres.stop();
    }
  } finally {
    if ("release" in lock) lock.release();
  }
}

/** The database and the rules' site of an installation, for actions. */
export interface Workplace extends Installation {
  readonly db: Database;
  readonly site: Site;
}

/**
 * Works with the rules' own actions, as requests do.
 * @throws StartupError where the database is not there or not at this build's migrations, or `SECRET_KEY` is another one
 */
export function atWork<Result>(
  context: Context,
  work: (workplace: Workplace) => Promise<Result>,
): Promise<Result> {
  return onInstallation(context, async (installation) => {
    const { env, databaseUrl, secretKey } = installation;
    if (secretKey === undefined)
      throw new StartupError("SECRET_KEY is not set: the secret that all processes share");
    const db = await connectDatabase(databaseUrl, { max: 2, name: "command" });
    try {
      const secrets = secretsOf(secretKey);
      await checkSecretKey(db, secrets);
      const site = { url: publicUrl(env), secrets, development: false, pushConfigured: false };
      return await work({ ...installation, db, site });
    } finally {
      await db.close();
    }
  });
}
