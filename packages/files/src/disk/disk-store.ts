import { createHash, type Hash, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { readFile, rename, rm, stat, unlink } from "node:fs/promises";
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
import { DiskCall, diskOperations, type DiskLimits } from "./disk-call.ts";
import { diskError } from "./disk-errors.ts";
import { FileStream } from "./file-stream.ts";
import { Folders, unless } from "./folders.ts";

// File descriptors instead of FileHandles, which cost more.
const openFile = promisify(fs.open);
const statFile = promisify(fs.fstat);
const syncFile = promisify(fs.fsync);
const closeFile = promisify(fs.close);
const readBytes = promisify(fs.read);
const writeBytes = promisify(fs.write);
const writeChunks = promisify(fs.writev);

/**
 * Creates a store in a folder. An object is written to a temporary file, synced, and renamed; then its folder is synced.
 * So an incomplete object always has a temporary name. Processes on several machines may share the folder if its file
 * system honours `fsync` and `rename`.
 * A call fails when one of its operations takes longer than 10 s.
 * @param root absolute path; created by the first call, readable by this user only
 */
export function diskStore(root: string, limits: DiskLimits = { limitMs: 10_000 }): FileStore {
  return new DiskStore(root, limits);
}

class DiskStore implements FileStore {
  /** Bodies that are being stored. */
  #bodies = 0;
  readonly about: string;
  readonly #folders: Folders;
  readonly #limits: DiskLimits;

  constructor(root: string, limits: DiskLimits) {
    this.about = `in the folder ${root}`;
    this.#limits = limits;
    this.#folders = new Folders(root, limits.operations ?? diskOperations);
  }

  async put(key: string, body: Readable, { signal }: FileStoreOptions = {}): Promise<StoredFile> {
    const path = this.#pathOf(key);
    const call = this.#call(signal);
    const reader = new BodyReader(body, call.signal);
    this.#bodies++;
    try {
      return await this.#reporting(
        call,
        async () => {
          await this.#folders.prepare(call);
          await this.#folders.removeLeftovers(call);
          return this.#write(reader, path, call);
        },
        reader,
      );
    } finally {
      this.#bodies--;
      reader.release();
    }
  }

  async get(key: string, options: ReadOptions = {}): Promise<OpenFile> {
    const { range, signal } = options;
    if (range) checkRange(range);
    signal?.throwIfAborted();
    const path = this.#pathOf(key);
    const call = this.#call();
    return this.#reporting(call, async () => {
      const fd = await this.#unlessMissing(call, () => openFile(path, "r"));
      if (fd === undefined) throw new ObjectMissing(key);
      try {
        const { size } = await call.step(() => statFile(fd));
        if (call.reason) throw call.reason;
        const { start, length } = bytesOf(size, range);
        const source = { fd, start, length, folder: this.#folders.root };
        return { stream: new FileStream(source, this.#limits, signal), size, length };
      } catch (error) {
        await call.cleanUp(() => closeFile(fd));
        throw error;
      }
    });
  }

  async read(key: string, size: number): Promise<Buffer> {
    const path = this.#pathOf(key);
    const call = this.#call();
    // One byte more, which a file of the expected size does not have.
    const bytes = await this.#reporting(call, () =>
      this.#unlessMissing(call, () => readBeginning(path, size + 1)),
    );
    if (bytes === undefined) throw new ObjectMissing(key);
    if (bytes.length === size) return bytes;
    throw new StorageUnavailable(
      `FILES_DIR ${this.#folders.root}: the object ${key} does not have ${size} bytes`,
    );
  }

  async stat(key: string): Promise<{ readonly size: number } | undefined> {
    const path = this.#pathOf(key);
    const call = this.#call();
    const found = await this.#reporting(call, () => this.#unlessMissing(call, () => stat(path)));
    return found && { size: found.size };
  }

  async delete(keys: readonly string[]): Promise<void> {
    assertDeletable(keys);
    const paths = keys.map((key) => this.#pathOf(key));
    const call = this.#call();
    await this.#reporting(call, async () => {
      const changed = new Set<string>();
      for (const path of paths) {
        const deleted = await this.#unlessMissing(call, () => unlink(path).then(() => true));
        if (deleted) changed.add(dirname(path));
      }
      for (const folder of changed) await this.#folders.sync(folder, call);
    });
  }

  async check(): Promise<void> {
    const content = randomBytes(16);
    const call = this.#call();
    await this.#reporting(call, async () => {
      await this.#folders.prepare(call);
      const path = this.#temporaryPath("check");
      try {
        await call.step(() => writeWhole(path, [content]));
        const read = await call.step(() => readFile(path));
        if (!read.equals(content))
          throw new StorageUnavailable(
            `FILES_DIR ${this.#folders.root}: a test file was read with other bytes than were written`,
          );
      } finally {
        await call.cleanUp(() => rm(path, { force: true }));
      }
    });
  }

  async close(): Promise<void> {}

  async #write(reader: BodyReader, path: string, call: DiskCall): Promise<StoredFile> {
    const temporary = this.#temporaryPath("put");
    const hash = createHash("sha256");
    // Nothing is written before the first piece is complete: most files have no other.
    const readNext = () => readPiece(reader, hash, this.#pieceBytes());
    const first = await readNext();
    try {
      if (first.isLast) await call.step(() => writeWhole(temporary, first.chunks));
      const size = first.isLast ? first.bytes : await writePieces(call, temporary, first, readNext);
      const stored = { size, sha256: hash.digest() };
      if (reader.reason) throw reader.reason;
      await this.#moveTo(path, temporary, call);
      return stored;
    } catch (error) {
      await call.cleanUp(() => rm(temporary, { force: true })).catch(() => {});
      throw error;
    }
  }

  #pieceBytes(): number {
    return Math.min(Math.max(piecesBytes / this.#bodies, leastPiece), mostPiece);
  }

  /** Gives the file its final name, durably. */
  async #moveTo(path: string, temporary: string, call: DiskCall): Promise<void> {
    const folder = dirname(path);
    const move = async () => {
      await call.step(() => rename(temporary, path));
      await this.#folders.sync(folder, call);
    };
    await this.#folders.make(folder, call);
    try {
      try {
        await move();
      } catch (error) {
        unless("ENOENT")(error);
        // The object's folder was removed after this process had last used it.
        this.#folders.forget();
        await this.#folders.make(folder, call);
        await move();
      }
      // If the disk has come back too late, the caller already believes that the object does not exist.
      if (call.reason) throw call.reason;
    } catch (error) {
      await call.cleanUp(() => rm(path, { force: true })).catch(() => {});
      throw error;
    }
  }

  #call(signal?: AbortSignal): DiskCall {
    return new DiskCall(this.#folders.root, this.#limits, signal);
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
  async #unlessMissing<T>(call: DiskCall, operation: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call.step(operation);
    } catch (error) {
      unless("ENOENT")(error);
      await this.#folders.prepare(call);
      await this.#folders.assertPresent(call);
      return undefined;
    }
  }

  /** Runs a call and converts its errors. An error of the body being read is rethrown unchanged. */
  async #reporting<T>(call: DiskCall, work: () => Promise<T>, reader?: BodyReader): Promise<T> {
    try {
      return await call.run(work);
    } catch (error) {
      throw error === reader?.reason ? error : diskError(this.#folders.root, error);
    }
  }
}

/** Returns the first bytes of a file, at most `length`. */
async function readBeginning(path: string, length: number): Promise<Buffer> {
  const fd = await openFile(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await readBytes(fd, buffer, 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await closeFile(fd);
  }
}

/** Permissions of files. */
const mode = 0o600;

/** Bytes that the pieces of all bodies share: the more bodies arrive at once, the smaller are their pieces. */
const piecesBytes = 2 * 1024 * 1024;

/** Minimum bytes of a piece, the usual maximum of a chunk. */
const leastPiece = 64 * 1024;

/**
 * Maximum bytes of a piece, which is written at once. Each write wakes a thread of the pool. If all cores are busy, this costs
 * the event loop more than hashing the same bytes.
 */
const mostPiece = 256 * 1024;

/** Chunks of a piece: a client may send one byte in each, and each chunk object takes 100 bytes. */
const pieceChunks = 256;

/** Successive bytes of a body. */
interface Piece {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  /** Whether the body has ended. */
  readonly isLast: boolean;
}

/** Reads and hashes the next chunks of a body, until they have `wanted` bytes. */
async function readPiece(reader: BodyReader, hash: Hash, wanted: number): Promise<Piece> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  while (bytes < wanted && chunks.length < pieceChunks) {
    const chunk = await reader.next();
    if (!chunk) return { chunks, bytes, isLast: true };
    hash.update(chunk);
    bytes += chunk.length;
    chunks.push(chunk);
  }
  return { chunks, bytes, isLast: false };
}

/** Creates a file of one piece, and syncs it. */
async function writeWhole(path: string, chunks: readonly Buffer[]): Promise<void> {
  const fd = await openFile(path, "wx", mode);
  try {
    await writeAll(fd, chunks);
    await syncFile(fd);
  } finally {
    await closeFile(fd);
  }
}

/**
 * Creates a file of several pieces, and syncs it. Reads the next piece while the previous one is being written.
 * @returns the number of bytes
 */
async function writePieces(
  call: DiskCall,
  path: string,
  first: Piece,
  readNext: () => Promise<Piece>,
): Promise<number> {
  const fd = await call.step(() => openFile(path, "wx", mode));
  try {
    let size = 0;
    let writing = Promise.resolve();
    try {
      for (let piece = first; ; piece = await readNext()) {
        const { chunks, bytes, isLast } = piece;
        await writing;
        size += bytes;
        writing = call.step(() => writeAll(fd, chunks));
        // Handled by the next `await`.
        writing.catch(() => {});
        if (isLast) break;
      }
    } finally {
      await writing;
    }
    await call.step(() => syncFile(fd));
    return size;
  } finally {
    await call.cleanUp(() => closeFile(fd));
  }
}

async function writeAll(fd: number, chunks: readonly Buffer[]): Promise<void> {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  if (bytes === 0) return;
  const { bytesWritten } = await writeChunks(fd, chunks);
  if (bytesWritten === bytes) return;
  // The disk has written only a part of the bytes: it may be nearly full.
  for (let rest = Buffer.concat(chunks).subarray(bytesWritten); rest.length > 0;) {
    const written = await writeBytes(fd, rest);
    rest = rest.subarray(written.bytesWritten);
  }
}
