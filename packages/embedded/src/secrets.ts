import { StartupError, takeLockFile } from "@carillon/kit";
import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Names of what `DATA_DIR/secrets.json` holds. */
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
 * The secret kept under `name`; made, and kept from then on, when there is none yet.
 * @throws StartupError when the file is no JSON object, or is gone while the database that needs it is there
 */
export async function keptSecret(
  dataDir: string,
  name: SecretName,
  make: () => string,
): Promise<string> {
  const kept = readSecrets(dataDir)[name];
  if (kept !== undefined) return kept;
  const changed = await changeSecrets(dataDir, (secrets) =>
    // Somebody else may have made it meanwhile.
    secrets[name] === undefined ? { ...secrets, [name]: make() } : secrets,
  );
  return changed[name] ?? "";
}

/** Keeps `value` under `name`, in place of what was kept before. */
export async function keepSecret(dataDir: string, name: SecretName, value: string): Promise<void> {
  await changeSecrets(dataDir, (secrets) => ({ ...secrets, [name]: value }));
}

/** Keeps nothing under `name` any more. */
export async function forgetSecret(dataDir: string, name: SecretName): Promise<void> {
  await changeSecrets(dataDir, ({ [name]: _forgotten, ...others }) => others);
}

/**
 * The secret kept under `name`; undefined when there is none.
 * @throws StartupError as `keptSecret` does
 */
export async function readSecret(dataDir: string, name: SecretName): Promise<string | undefined> {
  return readSecrets(dataDir)[name];
}

type Secrets = Record<string, string>;

/** How long somebody else may take to write down a secret, in milliseconds. */
const patienceMs = 10_000;

/** One at a time, of all processes: what one of two read before the other wrote would get lost. */
async function changeSecrets(
  dataDir: string,
  change: (secrets: Secrets) => Secrets,
): Promise<Secrets> {
  const path = join(dataDir, "secrets.json");
  const deadline = Date.now() + patienceMs;
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
        `process ${lock.heldBy} has been writing to ${path} for ${patienceMs / 1_000} s: end it, and try again`,
      );
    await pause(20);
  }
}

function writeSecrets(dataDir: string, secrets: Secrets): void {
  const path = join(dataDir, "secrets.json");
  // A crash in the middle leaves the old file, never half of one.
  const half = `${path}.${process.pid}`;
  writeFileSync(half, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  keepOwner(half, existsSync(path) ? path : dataDir);
  renameSync(half, path);
}

/** What root writes stays readable for the user that Carillon runs as. */
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
    // Said below.
  }
  throw new StartupError(`${path} is not a JSON object: put back the file that was there`);
}
