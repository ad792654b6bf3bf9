import { readOrCreateSecret } from "@carillon/embedded";
import { randomKey, randomSecret, uniqueId, type Environment } from "@carillon/kit";

/** Secrets of the apps, generated if the operator sets none; a variable that is set takes precedence. */
export interface Secrets {
  SECRET_KEY: string;
  DASHBOARD_USER: string;
  DASHBOARD_PASSWORD: string;
}

/** Credentials of the server at the embedded bouncer. */
export interface BouncerSecrets {
  PUSH_SERVER_ID: string;
  PUSH_SERVER_KEY: string;
}

/** Reads the secrets of DATA_DIR, which the first start generates in `secrets.json`. */
export async function settleSecrets(dataDir: string, env: Environment): Promise<Secrets> {
  return {
    SECRET_KEY: env.SECRET_KEY ?? (await readOrCreateSecret(dataDir, "SECRET_KEY", randomSecret)),
    DASHBOARD_USER:
      env.DASHBOARD_USER ?? (await readOrCreateSecret(dataDir, "DASHBOARD_USER", () => "operator")),
    DASHBOARD_PASSWORD:
      env.DASHBOARD_PASSWORD ??
      (await readOrCreateSecret(dataDir, "DASHBOARD_PASSWORD", () => randomKey(24))),
  };
}

/** Reads or generates the secrets of the embedded bouncer. */
export async function settleBouncerSecrets(
  dataDir: string,
  env: Environment,
): Promise<BouncerSecrets> {
  return {
    PUSH_SERVER_ID:
      env.PUSH_SERVER_ID ?? (await readOrCreateSecret(dataDir, "PUSH_SERVER_ID", uniqueId)),
    PUSH_SERVER_KEY:
      env.PUSH_SERVER_KEY ??
      (await readOrCreateSecret(dataDir, "PUSH_SERVER_KEY", () => randomKey())),
  };
}
