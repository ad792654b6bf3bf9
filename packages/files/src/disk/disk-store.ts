import { createHash, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { open, readFile, rename, rm, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

import { BodyReader } from "../body-reader.ts";
import { bytesOf, checkRange } from "../byte-range.ts";
import { objectPath } from "../object-key.ts";
import {
  assertDeletable,
  ObjectMissing,
  StorageUnavailable,
  type FileStore,
  type FileStoreOptions,
  type OpenFile,
  type ReadOptions,
  type StoredFile,
} from "../store.ts";
import { diskError } from "./disk-errors.ts";
import { FileStream } from "./file-stream.ts";
import { Folders, syncFolder, unless } from "./folders.ts";

// File descriptors instead of FileHandles, because FileStream reads with callbacks.
const openFile = promisify(fs.open);
const statFile = promisify(fs.fstat);
const closeFile = promisify(fs.close);

/**
 * Creates a store in a folder. An object is written to a temporary file, synced, and renamed; then its folder is synced.
 * So an incomplete object always has a temporary name. Processes on several machines may share the folder if its file
 * system honours `fsync` and `rename`.
 * @param root absolute path; created by the first call, readable by this user only
 */
export function diskStore(root: string): FileStore {
  return new DiskStore(root);
}

class DiskStore implements FileStore {
  readonly about: string;
  readonly #folders: Folders;

  constructor(root: string) {
    this.about = `in the folder ${root}`;
    this.#folders = new Folders(root);
  }

  async put(key: string, body: Readable, options: FileStoreOptions = {}): Promise<StoredFile> {
    const path = this.#pathOf(key);
    const reader = new BodyReader(body, options.signal);
    try {
      return await this.#reporting(async () => {
        await this.#folders.prepare();
        await this.#folders.removeLeftovers();
        return this.#write(reader, path);
      }, reader);
    } finally {
      reader.release();
    }
  }

  async get(key: string, options: ReadOptions = {}): Promise<OpenFile> {
    const { range, signal } = options;
    if (range) checkRange(range);
    signal?.throwIfAborted();
    const path = this.#pathOf(key);
    return this.#reporting(async () => {
      const fd = await this.#unlessMissing(openFile(path, "r"));
      if (fd === undefined) throw new ObjectMissing(key);
      try {
        const { size } = await statFile(fd);
        const { start, length } = bytesOf(size, range);
        const source = { fd, start, length, folder: this.#folders.root };
        return { stream: new FileStream(source, signal), size, length };
      } catch (error) {
        await closeFile(fd);
        throw error;
      }
    });
  }

  async stat(key: string): Promise<{ readonly size: number } | undefined> {
    const path = this.#pathOf(key);
    const found = await this.#reporting(() => this.#unlessMissing(stat(path)));
    return found && { size: found.size };
  }

  async delete(keys: readonly string[]): Promise<void> {
    assertDeletable(keys);
    const paths = keys.map((key) => this.#pathOf(key));
    await this.#reporting(async () => {
      const changed = new Set<string>();
      for (const path of paths) {
        const deleted = await this.#unlessMissing(unlink(path).then(() => true));
        if (deleted) changed.add(dirname(path));
      }
      for (const folder of changed) await syncFolder(folder);
    });
  }

  async check(): Promise<void> {
    const content = randomBytes(16);
    await this.#reporting(async () => {
      await this.#folders.prepare();
      const path = this.#temporaryPath("check");
      try {
        await writeDurably(path, async (handle) => void (await handle.write(content)));
        const read = await readFile(path);
        if (!read.equals(content))
          throw new StorageUnavailable(
            `FILES_DIR ${this.#folders.root}: a test file was read with other bytes than were written`,
          );
      } finally {
        await rm(path, { force: true });
      }
    });
  }

  async close(): Promise<void> {}

  async #write(reader: BodyReader, path: string): Promise<StoredFile> {
    const temporary = this.#temporaryPath("put");
    try {
      const stored = await writeDurably(temporary, (handle) => copy(reader, handle));
      if (reader.reason) throw reader.reason;
      await this.#moveTo(path, temporary);
      return stored;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Gives the file its final name, durably. */
  async #moveTo(path: string, temporary: string): Promise<void> {
    const folder = dirname(path);
    await this.#folders.make(folder);
    try {
      await rename(temporary, path);
    } catch (error) {
      unless("ENOENT")(error);
      // The object's folder was removed after this process had last used it.
      this.#folders.forget();
      await this.#folders.make(folder);
      await rename(temporary, path);
    }
    try {
      await syncFolder(folder);
    } catch (error) {
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  #pathOf(key: string): string {
    return join(this.#folders.root, objectPath(key));
  }

  #temporaryPath(purpose: string): string {
    return join(this.#folders.temporary, `${purpose}-${randomBytes(12).toString("hex")}`);
  }

  /**
   * Returns undefined if the file does not exist.
   * @throws the error of the operating system, also if the store's own folder does not exist
   */
  async #unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      unless("ENOENT")(error);
      await this.#folders.prepare();
      await this.#folders.assertPresent();
      return undefined;
    }
  }

  /** Runs work on the folder and converts its errors. An error of the body being read is rethrown unchanged. */
  async #reporting<T>(work: () => Promise<T>, reader?: BodyReader): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error === reader?.reason ? error : diskError(this.#folders.root, error);
    }
  }
}

/** Creates a file, lets `write` fill it, and syncs it. */
async function writeDurably<T>(
  path: string,
  write: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(path, "wx", 0o600);
  try {
    const written = await write(handle);
    await handle.sync();
    return written;
  } finally {
    await handle.close();
  }
}

/**
 * Bytes that are written at once. Each write wakes a thread of the pool, which costs the event loop more than hashing the
 * same bytes when all cores are busy.
 */
const bytesPerWrite = 256 * 1024;

/** Chunks that are written at once: a client may send one byte in each, and a chunk takes 100 bytes itself. */
const chunksPerWrite = 256;

/** Writes the whole body into the file. Reads and hashes the next bytes while the previous ones are being written. */
async function copy(reader: BodyReader, handle: FileHandle): Promise<StoredFile> {
  const hash = createHash("sha256");
  let size = 0;
  let gathered: Buffer[] = [];
  let bytes = 0;
  let writing = Promise.resolve();
  const write = async () => {
    await writing;
    writing = writeAll(handle, gathered);
    // Handled by the next `await`.
    writing.catch(() => {});
    gathered = [];
    bytes = 0;
  };
  try {
    for (let chunk = await reader.next(); chunk; chunk = await reader.next()) {
      hash.update(chunk);
      size += chunk.length;
      bytes += chunk.length;
      gathered.push(chunk);
      if (bytes >= bytesPerWrite || gathered.length >= chunksPerWrite) await write();
    }
    await write();
  } finally {
    await writing;
  }
  return { size, sha256: hash.digest() };
}

async function writeAll(handle: FileHandle, chunks: readonly Buffer[]): Promise<void> {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  if (bytes === 0) return;
  const { bytesWritten } = await handle.writev(chunks);
  if (bytesWritten === bytes) return;
  // The disk has taken a part only, as it does when it is nearly full.
  for (let rest = Buffer.concat(chunks).subarray(bytesWritten); rest.length > 0;) {
    const written = await handle.write(rest);
    rest = rest.subarray(written.bytesWritten);
  }
}
