import { readFile } from "node:fs/promises";
import { StartupError } from "@carillon/kit";
import { type CryptoKey, importPKCS8 } from "jose";
import * as z from "zod";

/** Our credentials for Google: the JSON file from its console. */
export interface ServiceAccount {
  readonly projectId: string;
  readonly email: string;
  readonly keyId: string | undefined;
  readonly privateKey: CryptoKey;
  /** URL that issues access tokens. */
  readonly tokenUri: string;
}

const file = z.object({
  project_id: z.string().regex(/^[a-z0-9.:-]+$/),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url({ protocol: /^https?$/ }),
});

/** Reads and checks the JSON file of a service account. @throws StartupError that names BOUNCER_FCM_CREDENTIALS */
export async function readServiceAccount(path: string): Promise<ServiceAccount> {
  const wrong = (why: string) =>
    new StartupError(
      `BOUNCER_FCM_CREDENTIALS ${path} ${why}: it must be the JSON file of a service account of Firebase`,
    );
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw wrong(`cannot be read (${error.code})`);
  });
  let found: z.infer<typeof file>;
  try {
    found = file.parse(JSON.parse(text));
  } catch (error) {
    const field = error instanceof z.ZodError ? String(error.issues[0]?.path[0]) : undefined;
    throw wrong(field === undefined ? "is not JSON" : `has no usable ${field}`);
  }
  const privateKey = await importPKCS8(found.private_key, "RS256").catch(() => {
    throw wrong("has no usable private_key");
  });
  return {
    projectId: found.project_id,
    email: found.client_email,
    keyId: found.private_key_id,
    privateKey,
    tokenUri: found.token_uri,
  };
}
