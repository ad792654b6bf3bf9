import { StartupError } from "@carillon/kit";
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Names of what `DATA_DIR/secrets.json` holds. */
export type SecretName =
  | "SECRET_KEY"
  | "NEXT_SECRET_KEY"
  | "DASHBOARD_USER"
  | "DASHBOARD_PASSWORD"
  | "POSTGRES_PASSWORD"
  | "POSTGRES_PORT"
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
  const kept = await readSecrets(dataDir);
  const value = kept[name];
  if (value !== undefined) return value;
  const made = make();
  await keepSecret(dataDir, name, made);
  return made;
}

/** Keeps `value` under `name`, in place of what was kept before. */
export async function keepSecret(dataDir: string, name: SecretName, value: string): Promise<void> {
  await writeSecrets(dataDir, { ...(await readSecrets(dataDir)), [name]: value });
}

/** Keeps nothing under `name` any more. */
export async function forgetSecret(dataDir: string, name: SecretName): Promise<void> {
  const { [name]: _forgotten, ...others } = await readSecrets(dataDir);
  await writeSecrets(dataDir, others);
}

/**
 * The secret kept under `name`; undefined when there is none.
 * @throws StartupError as `keptSecret` does
 */
export async function readSecret(dataDir: string, name: SecretName): Promise<string | undefined> {
  return (await readSecrets(dataDir))[name];
}

async function writeSecrets(dataDir: string, secrets: Record<string, string>): Promise<void> {
  const path = join(dataDir, "secrets.json");
  const text = JSON.stringify(secrets, null, 2);
  // A crash in the middle leaves the old file, never half of one.
  const half = `${path}.${process.pid}`;
  await writeFile(half, `${text}\n`, { mode: 0o600 });
  await rename(half, path);
}

async function readSecrets(dataDir: string): Promise<Record<string, string>> {
  const path = join(dataDir, "secrets.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
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
    if (value !== null && typeof value === "object") return value as Record<string, string>;
  } catch {
    // Said below.
  }
  throw new StartupError(`${path} is not a JSON object: put back the file that was there`);
}
