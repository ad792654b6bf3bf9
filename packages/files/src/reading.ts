import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import { ObjectMissing, StorageUnavailable, type FileStore, type StoredFile } from "./store.ts";

/** How often a call is repeated after the store has failed, and the milliseconds before the first repetition. */
export interface Retries {
  readonly times: number;
  /** Doubles with each repetition. */
  readonly firstMs: number;
}

/** For long copies: a lost connection must not end them. */
export const patient: Retries = { times: 3, firstMs: 1_000 };

/** Runs work again while the store is unavailable. Must not be used for a body that can be read only once. */
export async function retrying<T>(
  work: () => Promise<T>,
  { times, firstMs }: Retries = patient,
): Promise<T> {
  for (let failures = 0; ; failures++)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || failures >= times) throw error;
      await delay(firstMs * 2 ** failures);
    }
}

/**
 * Yields the bytes of an object. After a failure of the store it continues where it was.
 * @throws ObjectMissing; StorageUnavailable if the store fails repeatedly without sending a byte
 */
export async function* readObject(
  store: FileStore,
  key: string,
  retries: Retries = patient,
): AsyncGenerator<Buffer> {
  let size: number | undefined;
  let position = 0;
  let failures = 0;
  while (size === undefined || position < size)
    try {
      const range = size === undefined ? {} : { range: { start: position, end: size - 1 } };
      const file = await store.get(key, range);
      size = file.size;
      for await (const chunk of file.stream as AsyncIterable<Buffer>) {
        position += chunk.length;
        failures = 0;
        yield chunk;
      }
      if (size === 0) return;
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || failures >= retries.times) throw error;
      await delay(retries.firstMs * 2 ** failures++);
    }
}

/** Reads an object to its end. Returns its size and hash; undefined if it does not exist. */
export async function hashObject(
  store: FileStore,
  key: string,
  retries?: Retries,
): Promise<StoredFile | undefined> {
  const hash = createHash("sha256");
  let size = 0;
  try {
    for await (const chunk of readObject(store, key, retries)) {
      hash.update(chunk);
      size += chunk.length;
    }
  } catch (error) {
    if (error instanceof ObjectMissing) return undefined;
    throw error;
  }
  return { size, sha256: hash.digest() };
}

/** Returns whether the store has an object with this content. Reads it only if its size is the expected one. */
export async function hasContent(
  store: FileStore,
  key: string,
  { size, sha256 }: StoredFile,
): Promise<boolean> {
  const found = await retrying(() => store.stat(key));
  if (found?.size !== size) return false;
  return (await hashObject(store, key))?.sha256.equals(sha256) === true;
}
