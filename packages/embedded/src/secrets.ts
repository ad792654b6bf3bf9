import { StartupError, takeLockFile } from "@carillon/kit";
import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Keys of `DATA_DIR/secrets.json`. */
export type SecretName =
  | "SECRET_KEY"
  | "NEXT_SECRET_KEY"
  | "DASHBOARD_USER"
  | "DASHBOARD_PASSWORD"
  | "POSTGRES_PASSWORD"
  | "POSTGRES_PORT"
  | "PUBLIC_URL"
  | "PUSH_SERVER_ID"
  | "PUSH_SERVER_KEY";

/**
 * Returns the secret stored under `name`; creates and stores it when there is none.
 * @throws StartupError when the file is not a JSON object, or is missing although the database that needs it exists
 */
export async function readOrCreateSecret(
  dataDir: string,
  name: SecretName,
  make: () => string,
): Promise<string> {
  const kept = readSecrets(dataDir)[name];
  if (kept !== undefined) return kept;
  const changed = await changeSecrets(dataDir, (secrets) =>
    // Another process may have created it meanwhile.
    secrets[name] === undefined ? { ...secrets, [name]: make() } : secrets,
  );
  return changed[name] ?? "";
}

/** Stores `value` under `name`, replacing any earlier value. */
export async function storeSecret(dataDir: string, name: SecretName, value: string): Promise<void> {
  await changeSecrets(dataDir, (secrets) => ({ ...secrets, [name]: value }));
}

/** Deletes the secret stored under `name`. */
export async function deleteSecret(dataDir: string, name: SecretName): Promise<void> {
  await changeSecrets(dataDir, ({ [name]: _forgotten, ...others }) => others);
}

/**
 * Returns the secret stored under `name`; undefined when there is none.
 * @throws StartupError as `readOrCreateSecret` does
 */
export async function readSecret(dataDir: string, name: SecretName): Promise<string | undefined> {
  return readSecrets(dataDir)[name];
}

type Secrets = Record<string, string>;

/** How long another process may hold the lock of the file, in milliseconds. */
const lockTimeoutMs = 10_000;

/** Changes the file under a lock, so that concurrent processes do not lose each other's changes. */
async function changeSecrets(
  dataDir: string,
  change: (secrets: Secrets) => Secrets,
): Promise<Secrets> {
  const path = join(dataDir, "secrets.json");
  const deadline = Date.now() + lockTimeoutMs;
  for (;;) {
    const lock = takeLockFile(`${path}.lock`);
    if ("release" in lock) {
      try {
        const changed = change(readSecrets(dataDir));
        writeSecrets(dataDir, changed);
        return changed;
      } finally {
        lock.release();
      }
    }
    if (Date.now() > deadline)
      throw new StartupError(
        `process ${lock.heldBy} has been writing to ${path} for ${lockTimeoutMs / 1_000} s: end it, and try again`,
      );
    await pause(20);
  }
}

function writeSecrets(dataDir: string, secrets: Secrets): void {
  const path = join(dataDir, "secrets.json");
  // Written to another file and renamed, so that a crash leaves the old file complete.
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  keepOwner(temporary, existsSync(path) ? path : dataDir);
  renameSync(temporary, path);
}

/** Keeps files that root writes readable for the user that Carillon runs as. */
function keepOwner(file: string, like: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(like);
  chownSync(file, uid, gid);
}

function readSecrets(dataDir: string): Secrets {
  const path = join(dataDir, "secrets.json");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw new StartupError(
        `${path} cannot be read (${(error as NodeJS.ErrnoException).code}): it must belong to this user`,
      );
    }
    if (existsSync(join(dataDir, "postgres", "PG_VERSION"))) {
      throw new StartupError(
        `${path} is gone, and the database beside it cannot be used without it: put it back, or choose another DATA_DIR`,
      );
    }
    return {};
  }
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object") return value as Secrets;
  } catch {
    // Falls through to the error below.
  }
  throw new StartupError(`${path} is not a JSON object: put back the file that was there`);
}
