import { close, read } from "node:fs";
import { Readable } from "node:stream";

import { StorageUnavailable } from "../store.ts";
import { diskOperations, type DiskLimits } from "./disk-call.ts";
import { diskError, hungError } from "./disk-errors.ts";

/** Bytes that one read asks for. */
const chunkBytes = 65_536;

export interface FileStreamSource {
  /** The stream closes it. */
  readonly fd: number;
  readonly start: number;
  readonly length: number;
  /** `FILES_DIR`, for errors. */
  readonly folder: string;
}

/**
 * Reads a part of an open file. Unlike `fs.ReadStream`, it fails with StorageUnavailable if the file is too short or a read
 * takes too long.
 */
export class FileStream extends Readable {
  readonly #source: FileStreamSource;
  readonly #limits: DiskLimits;
  #position: number;
  #left: number;
  #isReading = false;

  constructor(source: FileStreamSource, limits: DiskLimits, signal?: AbortSignal) {
    super({ highWaterMark: chunkBytes, ...(signal && { signal }) });
    this.#source = source;
    this.#limits = limits;
    this.#position = source.start;
    this.#left = source.length;
  }

  override _read(): void {
    if (this.#left === 0) {
      this.push(null);
      return;
    }
    const { limitMs, operations = diskOperations } = this.#limits;
    this.#isReading = true;
    const timer = setTimeout(() => this.destroy(hungError(this.#source.folder, limitMs)), limitMs);
    const ended = () => {
      clearTimeout(timer);
      operations.release();
      this.#isReading = false;
      if (this.destroyed) this.#close();
    };
    if (operations.tryAcquire()) this.#readChunk(ended);
    else void operations.acquire().then(() => (this.destroyed ? ended() : this.#readChunk(ended)));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // A file must not be closed while it is read: another file could get its descriptor.
    if (!this.#isReading) this.#close();
    done(error);
  }

  #readChunk(ended: () => void): void {
    const { fd, folder } = this.#source;
    const wanted = Math.min(chunkBytes, this.#left);
    const buffer = Buffer.allocUnsafeSlow(wanted);
    read(fd, buffer, 0, wanted, this.#position, (error, count) => {
      ended();
      if (this.destroyed) return;
      if (error) this.destroy(diskError(folder, error) as Error);
      else if (count === 0) this.destroy(this.#tooShort());
      else {
        this.#position += count;
        this.#left -= count;
        this.push(count === wanted ? buffer : buffer.subarray(0, count));
      }
    });
  }

  #close(): void {
    const { operations = diskOperations } = this.#limits;
    const { fd } = this.#source;
    // Nothing was written, so a failure loses nothing.
    void operations.run(() => new Promise<void>((resolve) => close(fd, () => resolve())));
  }

  #tooShort(): StorageUnavailable {
    const { folder } = this.#source;
    return new StorageUnavailable(`FILES_DIR ${folder}: a file became shorter while it was read`);
  }
}
