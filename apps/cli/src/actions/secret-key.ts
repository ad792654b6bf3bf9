import { connectDatabase, type Database, statement } from "@carillon/db";
import { checkSecretKey, reseal } from "@carillon/domain";
import { deleteSecret, storeSecret, readSecret } from "@carillon/embedded";
import { randomSecret, readEnvironment, StartupError } from "@carillon/kit";
import { secretsOf } from "@carillon/model";

import type { Context } from "../context.ts";
import { keepOldKey } from "../old-secret-key.ts";
import { environmentOf, type Installation, withInstallation } from "../installation.ts";
import { secretFrom } from "../secret-input.ts";

interface Options {
  readonly newKeyFile?: string;
  readonly oldKeyFile?: string;
}

/** Re-encrypts all secrets with another key. */
export async function rotateSecretKey(context: Context, options: Options): Promise<void> {
  const env = environmentOf(context);
  // The key is generated only for npm start, which keeps it.
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
  await withInstallation(context, async (installation) => {
    const { databaseUrl, secretKey } = installation;
    if (secretKey === undefined)
      throw new StartupError("SECRET_KEY is not set: set the current one");
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
        // If the re-encryption was committed and only a later step failed, the old key must be kept.
        if (await opens(db, secretKey)) await oldKey.forget();
        throw error;
      }
      context.terminal.say(
        `${count} secrets re-encrypted with the new SECRET_KEY. ${
          kept ? "It is in secrets.json." : "Give it to all processes before they start."
        }
The old key is in ${oldKey.path}, readable by this user only. Restore earlier backups with it (carillon restore FILE --secret-key-file ${oldKey.path}); delete it together with the last of these backups.`,
      );
    } finally {
      await db.close();
    }
  });
}

/** Validates a key as processes do at their start. */
function checked(key: string): string {
  readEnvironment({ SECRET_KEY: key });
  if (key === "") throw new StartupError("SECRET_KEY must not be empty");
  return key;
}

async function rotate(db: Database, from: string, to: string): Promise<number> {
  if (from === to) throw new StartupError("the new SECRET_KEY equals the old one");
  const old = secretsOf(from);
  await checkSecretKey(db, old);
  return reseal(db, old, secretsOf(to));
}

/**
 * Re-encrypts with a key that is kept in `secrets.json`. The new key is stored beside the old one first, so that a rotation after
 * a crash can find out which of them is in use.
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
      "a rotation to another key was interrupted: finish it with secret-key rotate, without --new-key-file, then rotate to this one",
    );
  const to = waiting ?? chosen ?? randomSecret();
  await storeSecret(dataDir, "NEXT_SECRET_KEY", to);
  const sealedAlready = waiting !== undefined && (await opens(db, waiting));
  try {
    const count = sealedAlready ? 0 : await rotate(db, from, to);
    await storeSecret(dataDir, "SECRET_KEY", to);
    return count;
  } finally {
    if (!(await keyIsOutdated(db, dataDir))) await deleteSecret(dataDir, "NEXT_SECRET_KEY");
  }
}

/** Whether the kept SECRET_KEY fails to decrypt the database. */
async function keyIsOutdated(db: Database, dataDir: string): Promise<boolean> {
  return !(await opens(db, (await readSecret(dataDir, "SECRET_KEY")) ?? ""));
}

/** Whether the key decrypts the database's secrets; false also when the database does not answer. */
async function opens(db: Database, secretKey: string): Promise<boolean> {
  return checkSecretKey(db, secretsOf(secretKey)).then(
    () => true,
    () => false,
  );
}

const bouncers = statement({
  name: "database-of-own-bouncer",
  text: "SELECT FROM pg_database WHERE datname = 'carillon_bouncer'",
});

/** Refuses when there is an embedded bouncer, whose database is encrypted with the same key. */
async function checkNoBouncer(db: Database, { dataDir }: Installation): Promise<void> {
  if (dataDir === undefined) return;
  if ((await db.rows(bouncers)).length === 0) return;
  throw new StartupError(
    "the embedded bouncer's database carillon_bouncer is encrypted with the same SECRET_KEY, and re-encrypting it is not supported: drop it first; phones will register again",
  );
}
