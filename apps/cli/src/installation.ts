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
  const lock = tryLockInstance(dataDir);
  return onEmbedded(context, dataDir, "release" in lock ? lock : undefined, (url) =>
    work({ env, databaseUrl: url, secretKey: kept, dataDir }),
  );
}

/**
 * With the PostgreSQL in `dataDir`.
 * @param lock that of the folder, which is released; with it the server is ours, and is stopped afterwards
 */
export function onEmbedded<Result>(
  { holds }: Context,
  dataDir: string,
  lock: Pick<InstanceLock, "release"> | undefined,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  return holds.during(
    async () => lock?.release(),
    async () => {
      const starting = startEmbeddedPostgres({ dataDir, log: silentLogger });
      const stop = async () => {
        const postgres = await starting.catch(() => undefined);
        if (lock) await postgres?.stop();
      };
      return holds.during(stop, async () => work((await starting).url));
    },
  );
}

/**
 * Works on the database of the push bouncer: that of BOUNCER_DATABASE_URL, or of the one that `npm start` runs.
 * @throws StartupError where there is none
 */
export function onBouncer<Result>(
  context: Context,
  work: (databaseUrl: string, secretKey: string | undefined) => Promise<Result>,
): Promise<Result> {
  const { BOUNCER_DATABASE_URL: own, DATABASE_URL: chat, SECRET_KEY } = environmentOf(context);
  if (own !== undefined) return work(own, SECRET_KEY);
  if (chat !== undefined)
    throw new StartupError("BOUNCER_DATABASE_URL is not set: the database of the push bouncer");
  return onInstallation(context, ({ databaseUrl, secretKey }) => {
    const url = new URL(databaseUrl);
    url.pathname = "/carillon_bouncer";
    return work(url.href, secretKey);
  });
}

/** Where clients reach the installation: `PUBLIC_URL`, else where `npm start` last served it. */
async function knownAddress({ env, dataDir }: Installation): Promise<string | undefined> {
  if (env.PUBLIC_URL !== undefined || dataDir === undefined) return env.PUBLIC_URL;
  return readSecret(dataDir, "PUBLIC_URL");
}

/** The database and the rules' site of an installation, for actions. */
export interface Workplace extends Installation {
  readonly db: Database;
  readonly site: Site;
  /** False where the site's address is the default, which is a guess. */
  readonly addressIsKnown: boolean;
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
      const known = await knownAddress(installation);
      const url = known ?? publicUrl(env);
      const site = { url, secrets, development: false, pushConfigured: false };
      return await work({ ...installation, db, site, addressIsKnown: known !== undefined });
    } finally {
      await db.close();
    }
  });
}
