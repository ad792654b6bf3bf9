import { join, resolve } from "node:path";
import type { Environment } from "@carillon/kit";

import { diskStore } from "./disk/disk-store.ts";
import type { FileStore } from "./store.ts";

/** Creates the file store that the variables configure: the folder `FILES_DIR`. It is first used by the first call. */
export function fileStoreFromEnvironment(env: Environment): FileStore {
  return diskStore(resolve(env.FILES_DIR ?? join(env.DATA_DIR, "files")));
}
