import { close, read } from "node:fs";
import { Readable } from "node:stream";

import { StorageUnavailable } from "../store.ts";
import { diskError } from "./disk-errors.ts";

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

/** Reads a part of an open file. Unlike `fs.ReadStream`, it fails if the file is too short, with StorageUnavailable. */
export class FileStream extends Readable {
  readonly #source: FileStreamSource;
  #position: number;
  #left: number;
  #isReading = false;
  /** Closes the file of a destroyed stream, once the read in progress has ended. */
  #closeLater: (() => void) | undefined;

  constructor(source: FileStreamSource, signal?: AbortSignal) {
    super({ highWaterMark: chunkBytes, ...(signal && { signal }) });
    this.#source = source;
    this.#position = source.start;
    this.#left = source.length;
  }

  override _read(): void {
    if (this.#left === 0) {
      this.push(null);
      return;
    }
    const wanted = Math.min(chunkBytes, this.#left);
    const buffer = Buffer.allocUnsafeSlow(wanted);
    this.#isReading = true;
    read(this.#source.fd, buffer, 0, wanted, this.#position, (error, count) => {
      this.#isReading = false;
      if (this.#closeLater) this.#closeLater();
      else if (error) this.destroy(diskError(this.#source.folder, error) as Error);
      else if (count === 0) this.destroy(this.#tooShort());
      else {
        this.#position += count;
        this.#left -= count;
        this.push(count === wanted ? buffer : buffer.subarray(0, count));
      }
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const closeFile = () => close(this.#source.fd, (failed) => done(error ?? failed));
    if (this.#isReading) this.#closeLater = closeFile;
    else closeFile();
  }

  #tooShort(): StorageUnavailable {
    const { folder } = this.#source;
    return new StorageUnavailable(`FILES_DIR ${folder}: a file became shorter while it was read`);
  }
}
