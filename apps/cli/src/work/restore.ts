import { createReadStream, existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { restoreBackup } from "@carillon/backup";
import { checkSecretKey } from "@carillon/domain";
import {
  keepSecret,
  lockInstance,
  prepareDataDir,
  readSecret,
  startEmbeddedPostgres,
} from "@carillon/embedded";
import { required, silentLogger, StartupError } from "@carillon/kit";
import { secretsOf } from "@carillon/model";
import { prepareQueues } from "@carillon/queue";

import type { Context } from "../context.ts";
import { environmentOf } from "../installation.ts";
import { secretFrom } from "../secret-input.ts";

interface Options {
  readonly secretKeyFile?: string;
}

/** Restores a backup into a database, or into a folder that `npm start` is to keep. */
export async function restore(context: Context, file: string, options: Options): Promise<void> {
  const env = environmentOf(context);
  const source = await readable(context, file);
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
  try {
    const kept = env.SECRET_KEY ?? (await readSecret(dataDir, "SECRET_KEY"));
    const secretKey =
      kept ??
      (await secretFrom(context.terminal, options.secretKeyFile, {
        what: "SECRET_KEY of the backup",
        option: "--secret-key-file",
      }));
    const postgres = await startEmbeddedPostgres({ dataDir, log: silentLogger });
    try {
      await load(context, postgres.url, source, secretKey);
    } finally {
      await postgres.stop();
    }
    if (kept === undefined) await keepSecret(dataDir, "SECRET_KEY", secretKey);
  } finally {
    lock.release();
  }
}

async function load(
  context: Context,
  databaseUrl: string,
  source: Readable,
  secretKey: string,
): Promise<void> {
  const { rows, madeAt, migrated } = await restoreBackup(databaseUrl, source, (sql) =>
    checkSecretKey(sql, secretsOf(secretKey)),
  );
  const redisUrl = environmentOf(context).REDIS_URL;
  await prepareQueues({ databaseUrl, redisUrl, log: silentLogger });
  const since = migrated.length > 0 ? ` Applied ${migrated.join(", ")}.` : "";
  context.terminal.say(`Restored ${rows} rows, as they were at ${madeAt}.${since}`);
}

async function readable({ terminal }: Context, file: string): Promise<Readable> {
  if (file === "-") return terminal.input;
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    throw new StartupError(
      `${resolve(file)} cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
  return createReadStream(file);
}
