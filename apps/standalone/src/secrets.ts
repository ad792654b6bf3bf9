import { keptSecret } from "@carillon/embedded";
import { randomKey, randomSecret, uniqueId, type Environment } from "@carillon/kit";

/** What the children need and the person may leave to us; a variable that is set wins over what is kept. */
export interface Secrets {
  SECRET_KEY: string;
  DASHBOARD_USER: string;
  DASHBOARD_PASSWORD: string;
}

/** How our server and a bouncer of our own know each other. */
export interface BouncerSecrets {
  PUSH_SERVER_ID: string;
  PUSH_SERVER_KEY: string;
}

/** The secrets of this DATA_DIR, made at the first start and kept in `secrets.json`. */
export async function settleSecrets(dataDir: string, env: Environment): Promise<Secrets> {
  return {
    SECRET_KEY: env.SECRET_KEY ?? (await keptSecret(dataDir, "SECRET_KEY", randomSecret)),
    DASHBOARD_USER:
      env.DASHBOARD_USER ?? (await keptSecret(dataDir, "DASHBOARD_USER", () => "operator")),
    DASHBOARD_PASSWORD:
      env.DASHBOARD_PASSWORD ??
      (await keptSecret(dataDir, "DASHBOARD_PASSWORD", () => randomKey(24))),
  };
}

/** Those of a bouncer of our own, likewise. */
export async function settleBouncerSecrets(
  dataDir: string,
  env: Environment,
): Promise<BouncerSecrets> {
  return {
    PUSH_SERVER_ID: env.PUSH_SERVER_ID ?? (await keptSecret(dataDir, "PUSH_SERVER_ID", uniqueId)),
    PUSH_SERVER_KEY:
      env.PUSH_SERVER_KEY ?? (await keptSecret(dataDir, "PUSH_SERVER_KEY", () => randomKey())),
  };
}
