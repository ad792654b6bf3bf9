import { readFile } from "node:fs/promises";
import { type Environment, StartupError } from "@carillon/kit";
import { type CryptoKey, importPKCS8 } from "jose";

/** Our credentials for Apple: a key of the developer account (.p8), its id, and the team's id. */
export interface ApnsKey {
  readonly privateKey: CryptoKey;
  readonly keyId: string;
  readonly teamId: string;
}

/** Reads the key that signs tokens for APNs from its .p8 file. @throws StartupError naming the wrong variable */
export async function readApnsKey(path: string, env: Environment): Promise<ApnsKey> {
  const { BOUNCER_APNS_KEY_ID: keyId, BOUNCER_APNS_TEAM_ID: teamId } = env;
  if (keyId === undefined || teamId === undefined) {
    const name = keyId === undefined ? "BOUNCER_APNS_KEY_ID" : "BOUNCER_APNS_TEAM_ID";
    throw new StartupError(
      `${name} is not set: BOUNCER_APNS_KEY needs the key's id and the team's`,
    );
  }
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`BOUNCER_APNS_KEY ${path} cannot be read (${error.code})`);
  });
  const privateKey = await importPKCS8(text, "ES256").catch(() => {
    throw new StartupError(
      `BOUNCER_APNS_KEY ${path} is not a key: it must be the .p8 file of a key for APNs`,
    );
  });
  return { privateKey, keyId, teamId };
}
