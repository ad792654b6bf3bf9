import { Readable } from "node:stream";
import type { Database } from "@carillon/db";
import { reserveObjects } from "@carillon/domain";
import { type FileStore, newObjectKey, type StoredFile } from "@carillon/files";

/** Stores bytes as a new object, whose ledger row is committed first (files.md §8). */
export async function storeBytes(
  db: Database,
  files: FileStore,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<StoredFile & { readonly key: string }> {
  const key = newObjectKey();
  await reserveObjects(db, [key]);
  return { key, ...(await files.put(key, Readable.from([bytes]), { signal })) };
}
