import { keptSecret } from "@carillon/embedded";
import { randomKey, randomSecret, type Environment } from "@carillon/kit";

/** What the children need and the person may leave to us; a variable that is set wins over what is kept. */
export interface Secrets {
  SECRET_KEY: string;
  DASHBOARD_USER: string;
  DASHBOARD_PASSWORD: string;
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
