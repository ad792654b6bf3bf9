import { join, resolve } from "node:path";
import { StartupError, type Environment } from "@carillon/kit";

import { diskStore } from "./disk/disk-store.ts";
import { s3Store } from "./s3/s3-store.ts";
import type { S3Config } from "./s3/config.ts";
import type { FileStore } from "./store.ts";

/**
 * Creates the file store that the variables configure: the bucket `S3_BUCKET`, else the folder `FILES_DIR`. Accesses neither
 * before the first call.
 * @throws StartupError that names the variables at fault
 */
export function fileStoreFromEnvironment(env: Environment): FileStore {
  const s3 = s3Config(env);
  return s3 ? s3Store(s3) : diskStore(folderOf(env));
}

/**
 * Returns the folder of uploaded files; undefined if they are in a bucket.
 * @throws StartupError that names the variables at fault
 */
export function filesFolder(env: Environment): string | undefined {
  return s3Config(env) ? undefined : folderOf(env);
}

function folderOf(env: Environment): string {
  return resolve(env.FILES_DIR ?? join(env.DATA_DIR, "files"));
}

const names = [
  "S3_BUCKET",
  "S3_ENDPOINT",
  "S3_REGION",
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "S3_FORCE_PATH_STYLE",
] as const satisfies readonly (keyof Environment)[];

/** Region of servers other than Amazon's: few have regions, and most accept this name. */
const usualRegion = "us-east-1";

/** Returns how to reach the bucket; undefined if none of the variables is set. */
function s3Config(env: Environment): S3Config | undefined {
  const given = names.filter((name) => env[name] !== undefined);
  if (given.length === 0) return undefined;
  if (env.FILES_DIR !== undefined)
    throw new StartupError(
      `FILES_DIR is set, and ${given[0]} too: set only FILES_DIR to store files in a folder, or only the variables of S3`,
    );
  const { S3_BUCKET: bucket, S3_ENDPOINT: endpoint } = env;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  const region = env.S3_REGION ?? (endpoint === undefined ? undefined : usualRegion);
  if (!bucket || !region || !accessKeyId || !secretAccessKey) {
    const needed = { S3_BUCKET: bucket, S3_REGION: region };
    const keys = { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey };
    throw new StartupError(incomplete({ ...needed, ...keys }, given[0] ?? ""));
  }
  return {
    bucket,
    endpoint,
    region,
    accessKeyId,
    secretAccessKey,
    // A bucket's name in the host name needs a wildcard domain, which few servers other than Amazon's have.
    forcePathStyle: env.S3_FORCE_PATH_STYLE ?? endpoint !== undefined,
  };
}

function incomplete(needed: Record<string, string | undefined>, given: string): string {
  const missing = Object.keys(needed).filter((name) => !needed[name]);
  const verb = missing.length === 1 ? "is" : "are";
  return `${missing.join(", ")} ${verb} not set, but ${given} is: files on S3 need S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, and S3_REGION or S3_ENDPOINT`;
}
