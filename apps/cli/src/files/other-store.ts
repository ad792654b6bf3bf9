import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { type FileStore, fileStoreFromEnvironment } from "@carillon/files";
import { readEnvironment, StartupError } from "@carillon/kit";

import { UsageError } from "../usage-error.ts";

/** Options that name a file store other than the one that the environment variables name. */
export interface StoreOptions {
  readonly toFolder?: string;
  readonly toBucket?: string;
  readonly fromFolder?: string;
  readonly fromBucket?: string;
}

/** The store that an option names, and whether it is the source or the target. */
export interface OtherStore {
  readonly store: FileStore;
  readonly isSource: boolean;
}

/**
 * Opens the store that the options name.
 * @throws UsageError unless exactly one option is given; StartupError if the variables of a bucket are wrong
 */
export async function openOtherStore(options: StoreOptions): Promise<OtherStore> {
  const { toFolder, toBucket, fromFolder, fromBucket } = options;
  const given = [toFolder, toBucket, fromFolder, fromBucket].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw new UsageError(
      "give one of --to-folder, --to-bucket, --from-folder and --from-bucket: the other store is that of the variables",
    );
  const isSource = fromFolder !== undefined || fromBucket !== undefined;
  const folder = toFolder ?? fromFolder;
  const store =
    folder === undefined
      ? await bucketOf(toBucket ?? fromBucket ?? "")
      : fileStoreFromEnvironment(readEnvironment({ FILES_DIR: resolve(folder) }));
  return { store, isSource };
}

async function bucketOf(file: string): Promise<FileStore> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`${resolve(file)} cannot be read (${error.code})`);
  });
  const variables = parseEnv(text);
  const others = Object.keys(variables).filter((name) => !name.startsWith("S3_"));
  if (others.length > 0 || variables["S3_BUCKET"] === undefined)
    throw new StartupError(
      `${resolve(file)} must have S3_BUCKET and the variables beside it, one a line, and no others`,
    );
  return fileStoreFromEnvironment(readEnvironment(variables));
}
