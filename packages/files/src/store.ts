import type { Readable } from "node:stream";

/** Size and hash of an object that {@link FileStore.put} has stored. */
export interface StoredFile {
  /** Bytes. */
  readonly size: number;
  /** Hash of the content, 32 bytes. */
  readonly sha256: Buffer;
}

/** Positions of bytes in an object, from 0. Includes `end`, as the header `Range` does. */
export interface ByteRange {
  readonly start: number;
  /** A position after the last byte means the last byte. */
  readonly end: number;
}

/** An object that is being read. */
export interface OpenFile {
  /**
   * Yields all requested bytes or fails, with {@link StorageUnavailable} if the store fails. Destroy it to stop early.
   */
  readonly stream: Readable;
  /** Bytes of the whole object, also if a range was requested. */
  readonly size: number;
  /** Bytes that `stream` yields. */
  readonly length: number;
}

/** Aborting the signal ends the call with the signal's reason. */
export interface FileStoreOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ReadOptions extends FileStoreOptions {
  /** Default: the whole object. */
  readonly range?: ByteRange | undefined;
}

/**
 * Stores the bytes of uploaded files under random keys. Objects never change. Any number of processes may use the same
 * store.
 *
 * Every function rejects with {@link StorageUnavailable} while the store cannot be used, and works again as soon as it can.
 */
export interface FileStore {
  /** Short description for the log. */
  readonly about: string;
  /**
   * Stores all bytes of `body` under the key. Resolves when they are durable. If it rejects, nothing can be read under
   * the key. After a crash or a failure of the store, {@link delete} removes parts that may be left.
   *
   * Reads the body as fast as the store takes it. Never destroys the body: after a failure the caller decides whether
   * to read the rest.
   * @param key new, from {@link newObjectKey}
   * @throws the error of the body; the reason of the signal; StorageUnavailable
   */
  put(key: string, body: Readable, options?: FileStoreOptions): Promise<StoredFile>;
  /**
   * Opens an object for reading. The signal also ends the stream.
   * @throws ObjectMissing; StorageUnavailable; RangeError if the range begins after the last byte
   */
  get(key: string, options?: ReadOptions): Promise<OpenFile>;
  /**
   * Reads a whole object into memory.
   * @param size bytes of the object
   * @throws ObjectMissing; StorageUnavailable, also if the object has another size
   */
  read(key: string, size: number): Promise<Buffer>;
  /** Returns the size of an object in bytes; undefined if it does not exist. */
  stat(key: string, options?: FileStoreOptions): Promise<{ readonly size: number } | undefined>;
  /**
   * Deletes objects, and the parts that failed calls of {@link put} may have left. Ignores missing objects.
   * @param keys at most 1,000
   */
  delete(keys: readonly string[]): Promise<void>;
  /**
   * Checks that the store can be used: writes a few bytes and reads them back.
   * @throws StorageUnavailable
   */
  check(options?: FileStoreOptions): Promise<void>;
  /** Closes connections. Running calls may fail. */
  close(): Promise<void>;
}

/** The most keys that one call of {@link FileStore.delete} takes. */
export const maxDeletedAtOnce = 1_000;

/** Throws RangeError if there are too many keys for one call. */
export function assertDeletable(keys: readonly string[]): void {
  if (keys.length > maxDeletedAtOnce)
    throw new RangeError(`${keys.length} keys are more than ${maxDeletedAtOnce}`);
}

/** The store cannot be used now. The message names the configuration variable to look at, and the cause. */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}

/** The body was so slow that it kept a buffer from other uploads. */
export class BodyTooSlow extends StorageUnavailable {}

/** Returns whether a call has failed because the store cannot be used, and not because of the body. */
export function isUnavailable(error: unknown): error is StorageUnavailable {
  return error instanceof StorageUnavailable && !(error instanceof BodyTooSlow);
}

/** There is no object with this key. */
export class ObjectMissing extends Error {
  override readonly name = "ObjectMissing";

  constructor(key: string) {
    super(`there is no object ${key}`);
  }
}
