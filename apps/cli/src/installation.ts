import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { connectDatabase, type Database } from "@carillon/db";
import { checkSecretKey } from "@carillon/domain";
import {
  type InstanceLock,
  readSecret,
  startEmbeddedPostgres,
  tryLockInstance,
} from "@carillon/embedded";
import {
  changeDatabaseUrl,
  directDatabaseUrl,
  type Environment,
  publicUrl,
  readEnvironment,
  silentLogger,
  StartupError,
} from "@carillon/kit";
import { identityProviderFrom, secretsOf, type Site, uploadLimits } from "@carillon/model";

import type { Context } from "./context.ts";

/** The installation that a command works on. */
export interface Installation {
  readonly env: Environment;
  /** The address of PostgreSQL itself, even if the processes use a pooler. */
  readonly databaseUrl: string;
  /** Undefined when it is neither set nor stored in `DATA_DIR`. */
  readonly secretKey: string | undefined;
  /** `DATA_DIR` of an installation of `npm start`; undefined with `DATABASE_URL`. */
  readonly dataDir: string | undefined;
}

/** Reads and validates the variables. */
export function environmentOf({ variables }: Context): Environment {
  return variables ? readEnvironment(variables) : readEnvironment();
}

/**
 * Runs `work` on the installation that the variables name. Starts the embedded PostgreSQL for the duration of the work
 * if it is not running.
 * @throws StartupError when there is no installation
 */
export async function withInstallation<Result>(
  context: Context,
  work: (installation: Installation) => Promise<Result>,
): Promise<Result> {
  const env = environmentOf(context);
  const { SECRET_KEY: secretKey } = env;
  const databaseUrl = directDatabaseUrl(env);
  if (databaseUrl !== undefined) return work({ env, databaseUrl, secretKey, dataDir: undefined });
  const dataDir = resolve(env.DATA_DIR);
  if (!existsSync(join(dataDir, "postgres", "PG_VERSION")))
    throw new StartupError(
      `DATABASE_URL is not set, and DATA_DIR ${dataDir} has no database of npm start: set one of them`,
    );
  const kept = secretKey ?? (await readSecret(dataDir, "SECRET_KEY"));
  const lock = tryLockInstance(dataDir);
  return withEmbeddedPostgres(context, dataDir, "release" in lock ? lock : undefined, (url) =>
    work({ env, databaseUrl: url, secretKey: kept, dataDir }),
  );
}

/**
 * Runs `work` with the PostgreSQL in `dataDir`.
 * @param lock the folder's lock, released afterwards; the holder of the lock also stops the server
 */
export function withEmbeddedPostgres<Result>(
  { cleanups }: Context,
  dataDir: string,
  lock: Pick<InstanceLock, "release"> | undefined,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  return cleanups.during(
    async () => lock?.release(),
    async () => {
      const starting = startEmbeddedPostgres({ dataDir, log: silentLogger });
      const stop = async () => {
        const postgres = await starting.catch(() => undefined);
        if (lock) await postgres?.stop();
      };
      return cleanups.during(stop, async () => work((await starting).url));
    },
  );
}

/**
 * Runs `work` on the push bouncer's database: that of BOUNCER_DATABASE_URL, or the one of `npm start`.
 * @throws StartupError when there is none
 */
export function withBouncerDatabase<Result>(
  context: Context,
  work: (databaseUrl: string, secretKey: string | undefined) => Promise<Result>,
): Promise<Result> {
  const { BOUNCER_DATABASE_URL: own, DATABASE_URL: chat, SECRET_KEY } = environmentOf(context);
  if (own !== undefined) return work(own, SECRET_KEY);
  if (chat !== undefined)
    throw new StartupError("BOUNCER_DATABASE_URL is not set: set the push bouncer's database");
  return withInstallation(context, ({ databaseUrl, secretKey }) => {
    const url = changeDatabaseUrl(databaseUrl, (one) => (one.pathname = "/carillon_bouncer"));
    return work(url, secretKey);
  });
}

/** Returns the URL that clients use: `PUBLIC_URL`, else the one at which `npm start` last served. */
async function knownAddress({ env, dataDir }: Installation): Promise<string | undefined> {
  if (env.PUBLIC_URL !== undefined || dataDir === undefined) return env.PUBLIC_URL;
  return readSecret(dataDir, "PUBLIC_URL");
}

/** An installation with an open database, for actions of the domain. */
export interface ConnectedInstallation extends Installation {
  readonly db: Database;
  readonly site: Site;
  /** False when the site's URL is only the default. */
  readonly addressIsKnown: boolean;
}

/**
 * Runs `work` with a database connection, for actions of the domain.
 * @throws StartupError when the database is missing or not at this build's migrations, or `SECRET_KEY` is wrong
 */
export function withDatabase<Result>(
  context: Context,
  work: (connected: ConnectedInstallation) => Promise<Result>,
): Promise<Result> {
  return withInstallation(context, async (installation) => {
    const { env, databaseUrl, secretKey } = installation;
    if (secretKey === undefined)
      throw new StartupError("SECRET_KEY is not set: set the one that all processes share");
    const db = await connectDatabase(databaseUrl, { max: 2, name: "command" });
    try {
      const secrets = secretsOf(secretKey);
      await checkSecretKey(db, secrets);
      const known = await knownAddress(installation);
      const url = known ?? publicUrl(env);
      const uploads = uploadLimits(env);
      const identityProvider = identityProviderFrom(env);
      const off = { development: false, pushConfigured: false };
      const site = { url, secrets, uploads, identityProvider, ...off };
      return await work({ ...installation, db, site, addressIsKnown: known !== undefined });
    } finally {
      await db.close();
    }
  });
}
