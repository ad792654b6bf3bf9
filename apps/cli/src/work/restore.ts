import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { restoreBackup } from "@carillon/backup";
import { bouncerMigrations, ensureDatabase, type Sql } from "@carillon/db";
import { checkSecretKey } from "@carillon/domain";
import { keepSecret, lockInstance, prepareDataDir, readSecret } from "@carillon/embedded";
import { required, silentLogger, StartupError } from "@carillon/kit";
import { secretsOf } from "@carillon/model";
import { prepareQueues } from "@carillon/queue";

import { checkBouncerKey } from "../bouncer/check-key.ts";
import type { Context } from "../context.ts";
import { environmentOf, onBouncer, onEmbedded } from "../installation.ts";
import { secretFrom } from "../secret-input.ts";

interface Options {
  readonly secretKeyFile?: string;
  readonly bouncer?: boolean;
}

/** Restores a backup into a database, or into a folder that `npm start` is to keep. */
export async function restore(context: Context, file: string, options: Options): Promise<void> {
  const env = environmentOf(context);
  const source = await readable(context, file);
  if (options.bouncer) return intoBouncer(context, source);
  if (env.DATABASE_URL === undefined) return intoDataDir(context, source, options);
  const secretKey = required(env, "SECRET_KEY", "the one that the backup was made with");
  await load(context, env.DATABASE_URL, source, secretKey);
}

async function intoDataDir(context: Context, source: Readable, options: Options): Promise<void> {
  const env = environmentOf(context);
  const dataDir = await prepareDataDir(env.DATA_DIR);
  if (existsSync(join(dataDir, "zuliprc")))
    throw new StartupError(`DATA_DIR ${dataDir} has an installation: choose another one`);
  const lock = lockInstance(dataDir);
  await context.holds.during(
    async () => lock.release(),
    async () => {
      // One that was kept is of a restore that did not come to its end: the one that is given now goes before it.
      const kept = options.secretKeyFile ? undefined : await readSecret(dataDir, "SECRET_KEY");
      const secretKey =
        env.SECRET_KEY ??
        kept ??
        (await secretFrom(context.terminal, options.secretKeyFile, {
          what: "SECRET_KEY of the backup",
          option: "--secret-key-file",
        }));
      // Before the commit: a database whose key is gone is nobody's.
      const keep = async () => {
        if (env.SECRET_KEY === undefined) await keepSecret(dataDir, "SECRET_KEY", secretKey);
      };
      await onEmbedded(context, dataDir, lock, (url) =>
        load(context, url, source, secretKey, keep),
      );
    },
  );
}

/** @param keep is run when the key is known to be the right one, before anything is kept of the backup */
async function load(
  context: Context,
  databaseUrl: string,
  source: Readable,
  secretKey: string,
  keep: () => Promise<void> = async () => {},
): Promise<void> {
  const { rows, madeAt, migrated } = await restoreBackup(databaseUrl, source, async (sql) => {
    await checkSecretKey(sql, secretsOf(secretKey));
    await keep();
  });
  const redisUrl = environmentOf(context).REDIS_URL;
  await prepareQueues({ databaseUrl, redisUrl, log: silentLogger });
  const since = migrated.length > 0 ? ` Applied ${migrated.join(", ")}.` : "";
  context.terminal.say(`Restored ${rows} rows, as they were at ${madeAt}.${since}`);
}

/** Into a database that is made where there is none. */
async function intoBouncer(context: Context, source: Readable): Promise<void> {
  await onBouncer(context, async (databaseUrl, secretKey) => {
    if (secretKey === undefined)
      throw new StartupError("SECRET_KEY is not set: the one that the backup was made with");
    await ensureDatabase(databaseUrl, bouncerMigrations.variable);
    const check = (sql: Sql) => checkBouncerKey(sql, secretKey);
    const restored = await restoreBackup(databaseUrl, source, check, bouncerMigrations);
    const { rows, madeAt } = restored;
    context.terminal.say(`Restored ${rows} rows of the bouncer, as they were at ${madeAt}.`);
  });
}

async function readable({ terminal }: Context, file: string): Promise<Readable> {
  if (file === "-") return terminal.input;
  const source = createReadStream(file);
  try {
    await once(source, "readable");
  } catch (error) {
    throw new StartupError(
      `${resolve(file)} cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
  return source;
}
