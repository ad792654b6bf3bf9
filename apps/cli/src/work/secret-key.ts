import { connectDatabase, type Database, statement } from "@carillon/db";
import { checkSecretKey, reseal } from "@carillon/domain";
import { forgetSecret, keepSecret, readSecret } from "@carillon/embedded";
import { randomSecret, readEnvironment, StartupError } from "@carillon/kit";
import { secretsOf } from "@carillon/model";

import type { Context } from "../context.ts";
import { keepOldKey } from "../old-secret-key.ts";
import { environmentOf, type Installation, onInstallation } from "../installation.ts";
import { secretFrom } from "../secret-input.ts";

interface Options {
  readonly newKeyFile?: string;
  readonly oldKeyFile?: string;
}

/** Seals everything with another key. */
export async function rotateSecretKey(context: Context, options: Options): Promise<void> {
  const env = environmentOf(context);
  // Ours to make where it is ours to keep.
  const kept = env.DATABASE_URL === undefined && env.SECRET_KEY === undefined;
  const chosen =
    kept && options.newKeyFile === undefined
      ? undefined
      : checked(
          await secretFrom(context.terminal, options.newKeyFile, {
            what: "new SECRET_KEY",
            option: "--new-key-file",
          }),
        );
  await onInstallation(context, async (installation) => {
    const { databaseUrl, secretKey } = installation;
    if (secretKey === undefined)
      throw new StartupError("SECRET_KEY is not set: the one that everything is sealed with");
    const db = await connectDatabase(databaseUrl, { max: 1, name: "command" });
    try {
      await checkNoBouncer(db, installation);
      const oldKey = await keepOldKey(secretKey, options.oldKeyFile, env.DATA_DIR);
      let count: number;
      try {
        count = kept
          ? await rotateKept(db, installation, secretKey, chosen)
          : await rotate(db, secretKey, chosen ?? "");
      } catch (error) {
        // Where the rows are sealed anew and only what follows failed, it is an old key.
        if (await opens(db, secretKey)) await oldKey.forget();
        throw error;
      }
      context.terminal.say(
        `${count} secrets are sealed with the new SECRET_KEY. ${
          kept ? "It is in secrets.json." : "Give it to all processes before they start."
        }
The old one is in ${oldKey.path}, which only this user may read. Backups made before now are restored with it (carillon restore FILE --secret-key-file ${oldKey.path}); delete it with the last of them.`,
      );
    } finally {
      await db.close();
    }
  });
}

/** As strict as at the start of a process. */
function checked(key: string): string {
  readEnvironment({ SECRET_KEY: key });
  if (key === "") throw new StartupError("SECRET_KEY must not be empty");
  return key;
}

async function rotate(db: Database, from: string, to: string): Promise<number> {
  if (from === to) throw new StartupError("the new SECRET_KEY is the old one");
  const old = secretsOf(from);
  await checkSecretKey(db, old);
  return reseal(db, old, secretsOf(to));
}

/**
 * The new key is kept beside the old one until everything is sealed with it: after a crash in between the next rotation
 * finds out which one it is.
 */
async function rotateKept(
  db: Database,
  { dataDir = "" }: Installation,
  from: string,
  chosen: string | undefined,
): Promise<number> {
  const waiting = await readSecret(dataDir, "NEXT_SECRET_KEY");
  if (waiting !== undefined && chosen !== undefined && chosen !== waiting)
    throw new StartupError(
      "a rotation to another key was broken off: end it with secret-key rotate, without --new-key-file, and then rotate to this one",
    );
  const to = waiting ?? chosen ?? randomSecret();
  await keepSecret(dataDir, "NEXT_SECRET_KEY", to);
  const sealedAlready = waiting !== undefined && (await opens(db, waiting));
  try {
    const count = sealedAlready ? 0 : await rotate(db, from, to);
    await keepSecret(dataDir, "SECRET_KEY", to);
    return count;
  } finally {
    if (!(await isBetween(db, dataDir))) await forgetSecret(dataDir, "NEXT_SECRET_KEY");
  }
}

/** Whether what is kept as SECRET_KEY does not open the database. */
async function isBetween(db: Database, dataDir: string): Promise<boolean> {
  return !(await opens(db, (await readSecret(dataDir, "SECRET_KEY")) ?? ""));
}

/** Whether the key opens what the database has sealed; a database that does not answer counts as one that it does not. */
async function opens(db: Database, secretKey: string): Promise<boolean> {
  return checkSecretKey(db, secretsOf(secretKey)).then(
    () => true,
    () => false,
  );
}

const bouncers = statement({
  name: "database-of-own-bouncer",
  text: "SELECT FROM pg_database WHERE datname = 'carillon_bouncer'",
  row: {},
});

/** A bouncer of our own seals in a database of its own with the same key. */
async function checkNoBouncer(db: Database, { dataDir }: Installation): Promise<void> {
  if (dataDir === undefined) return;
  if ((await db.rows(bouncers)).length === 0) return;
  throw new StartupError(
    "the embedded bouncer's database carillon_bouncer is sealed with the same SECRET_KEY, and cannot be sealed anew yet: drop it first, and phones register again",
  );
}
