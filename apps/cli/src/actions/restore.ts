import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { restoreBackup, type RestoredFiles } from "@carillon/backup";
import { ensureDatabase, type Sql, statement } from "@carillon/db";
import { fileStoreFromEnvironment } from "@carillon/files";
import { bouncerMigrations } from "@carillon/push";
import { checkSecretKey, issueKeysAnew } from "@carillon/domain";
import { storeSecret, lockInstance, prepareDataDir, readSecret } from "@carillon/embedded";
import {
  counted,
  directDatabaseUrl,
  type Environment,
  randomSecret,
  required,
  silentLogger,
  sizeText,
  StartupError,
} from "@carillon/kit";
import { secretsOf } from "@carillon/model";
import { prepareQueues } from "@carillon/queue";

import { checkBouncerKey } from "../bouncer/check-key.ts";
import type { Context } from "../context.ts";
import { describeFaulty } from "../files/describe.ts";
import { environmentOf, withBouncerDatabase, withEmbeddedPostgres } from "../installation.ts";
import { secretFrom } from "../secret-input.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly secretKeyFile?: string;
  readonly withoutSecrets?: boolean;
  readonly withoutFiles?: boolean;
  readonly bouncer?: boolean;
}

/** Restores a backup into a database or a `DATA_DIR`. */
export async function restore(context: Context, file: string, options: Options): Promise<void> {
  const env = environmentOf(context);
  checkOptions(env, options, file);
  const source = await readable(context, file);
  if (options.bouncer) return intoBouncer(context, source);
  const databaseUrl = directDatabaseUrl(env);
  if (databaseUrl === undefined) return intoDataDir(context, source, options);
  const given = options.secretKeyFile;
  const secretKey =
    given === undefined
      ? required(env, "SECRET_KEY", wantedKey(options))
      : await keyFrom(context, given);
  await load(context, databaseUrl, source, {
    secretKey,
    anew: options.withoutSecrets,
    withoutFiles: options.withoutFiles,
  });
  if (given !== undefined) context.terminal.say("Start the processes with the given SECRET_KEY.");
}

/** Throws UsageError when options contradict each other. */
function checkOptions(env: Environment, options: Options, file: string): void {
  const { secretKeyFile, withoutSecrets, bouncer } = options;
  if (withoutSecrets && secretKeyFile !== undefined)
    throw new UsageError(
      "--without-secrets is for a backup whose SECRET_KEY is lost: give one of them",
    );
  if (bouncer && options.withoutFiles)
    throw new UsageError("a push bouncer has no uploaded files: leave out --without-files");
  if (withoutSecrets && bouncer)
    throw new UsageError(
      "a bouncer's backup is useless without its SECRET_KEY: start a new bouncer",
    );
  if (secretKeyFile !== undefined && env.SECRET_KEY !== undefined)
    throw new UsageError("SECRET_KEY and --secret-key-file are both given: give one of them");
  if (secretKeyFile === "-" && file === "-")
    throw new UsageError("standard input cannot be both the backup and its SECRET_KEY");
}

function wantedKey({ withoutSecrets }: Options): string {
  return withoutSecrets
    ? "set it to a new key, which all processes share"
    : "set it to the key of the backup, or use --secret-key-file, or --without-secrets if the key is lost";
}

function keyFrom({ terminal }: Context, file: string | undefined): Promise<string> {
  return secretFrom(terminal, file, {
    what: "SECRET_KEY of the backup",
    option: "--secret-key-file",
  });
}

async function intoDataDir(context: Context, source: Readable, options: Options): Promise<void> {
  const env = environmentOf(context);
  const dataDir = await prepareDataDir(env.DATA_DIR);
  if (existsSync(join(dataDir, "zuliprc")))
    throw new StartupError(
      `DATA_DIR ${dataDir} already has an installation: choose another folder`,
    );
  const lock = lockInstance(dataDir);
  await context.cleanups.during(
    async () => lock.release(),
    async () => {
      // A kept key comes from an unfinished restore; --secret-key-file takes precedence over it.
      const kept = options.secretKeyFile ? undefined : await readSecret(dataDir, "SECRET_KEY");
      const anew = options.withoutSecrets;
      const secretKey =
        env.SECRET_KEY ??
        kept ??
        (anew ? randomSecret() : await keyFrom(context, options.secretKeyFile));
      // Before the commit: a database without its key is useless.
      const keep = async () => {
        if (env.SECRET_KEY === undefined) await storeSecret(dataDir, "SECRET_KEY", secretKey);
      };
      await withEmbeddedPostgres(context, dataDir, lock, (url) =>
        load(context, url, source, { secretKey, anew, keep, withoutFiles: options.withoutFiles }),
      );
    },
  );
}

/** How the backup's secrets are decrypted, or replaced, and whether its files are restored. */
interface Loading {
  readonly withoutFiles?: boolean | undefined;
  readonly secretKey: string;
  /** Whether the backup's key is lost and `secretKey` is a new one. */
  readonly anew?: boolean | undefined;
  /** Called when the key is known to be right, before the commit. */
  readonly keep?: () => Promise<void>;
}

async function load(
  context: Context,
  databaseUrl: string,
  source: Readable,
  { secretKey, anew, keep, withoutFiles = false }: Loading,
): Promise<void> {
  const env = environmentOf(context);
  let issued: number | undefined;
  let hasUploads = false;
  const check = async (sql: Sql) => {
    if (anew) issued = await issueKeysAnew(sql, secretsOf(secretKey));
    else await checkSecretKey(sql, secretsOf(secretKey));
    hasUploads = (await sql.rows(uploads)).length > 0;
    await keep?.();
  };
  const store = fileStoreFromEnvironment(env);
  const restoring = restoreBackup(databaseUrl, source, {
    check,
    files: withoutFiles ? undefined : store,
  });
  const { rows, madeAt, migrated, files } = await restoring.finally(() => store.close());
  const redisUrl = env.REDIS_URL;
  await prepareQueues({ databaseUrl, redisUrl, log: silentLogger });
  const since = migrated.length > 0 ? ` Applied ${migrated.join(", ")}.` : "";
  context.terminal.say(`Restored ${counted(rows, "row")} of the backup of ${madeAt}.${since}`);
  if (files && files.objects > 0) context.terminal.say(filesText(files, store.about));
  if (!files && hasUploads)
    context.terminal.say(
      `No uploaded files were restored: copy them to the store of the processes, which is ${store.about}.`,
    );
  if (issued !== undefined)
    context.terminal
      .say(`${counted(issued, "account has", "accounts have")} a new API key; all old keys are refused:
- People log in again with their passwords, which are unchanged.
- Owners of bots give them their new keys (GET /bots/BOT_ID/api_key, or carillon key issue ACCOUNT --zuliprc FILE).
- Mailed links that confirm a new e-mail address are invalid: people request the change again.`);
  if (files && files.faulty.count > 0)
    throw new StartupError(
      `everything is restored except for uploaded files that were missing or damaged when the backup was made: ${describeFaulty(files.faulty)}`,
    );
}

const uploads = statement({
  name: "restored-uploads",
  text: "SELECT id FROM attachments LIMIT 1",
});

function filesText({ objects, bytes, kept }: RestoredFiles, about: string): string {
  const already = kept > 0 ? `; already there: ${kept}` : "";
  return `Restored ${counted(objects, "file")} (${sizeText(bytes)}) ${about}${already}.`;
}

/** Restores the bouncer's database, creating it if necessary. */
async function intoBouncer(context: Context, source: Readable): Promise<void> {
  await withBouncerDatabase(context, async (databaseUrl, secretKey) => {
    if (secretKey === undefined)
      throw new StartupError("SECRET_KEY is not set: set it to the key of the backup");
    await ensureDatabase(databaseUrl, bouncerMigrations.variable);
    const check = (sql: Sql) => checkBouncerKey(sql, secretKey);
    const restored = await restoreBackup(databaseUrl, source, { check, set: bouncerMigrations });
    const { rows, madeAt } = restored;
    context.terminal.say(`Restored ${counted(rows, "row")} of the bouncer's backup of ${madeAt}.`);
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
