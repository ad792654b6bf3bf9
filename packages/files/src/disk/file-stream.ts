import { close, read } from "node:fs";
import { Readable } from "node:stream";

import { StorageUnavailable } from "../store.ts";
import { diskOperations, type DiskLimits } from "./disk-call.ts";
import { diskError, hungError } from "./disk-errors.ts";

/** Bytes that one read asks for. */
const chunkBytes = 128 * 1024;

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
 * takes too long, and {@link pipe} uses its buffers again.
 */
export class FileStream extends Readable {
  readonly #source: FileStreamSource;
  readonly #limits: DiskLimits;
  #position: number;
  #left: number;
  #isReading = false;
  #isPiped = false;

  constructor(source: FileStreamSource, limits: DiskLimits, signal?: AbortSignal) {
    super({ highWaterMark: chunkBytes, ...(signal && { signal }) });
    this.#source = source;
    this.#limits = limits;
    this.#position = source.start;
    this.#left = source.length;
  }

  override _read(): void {
    // The bytes go to the destination only.
    if (this.#isPiped) return;
    if (this.#left === 0) {
      this.push(null);
      return;
    }
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, this.#left));
    this.#readInto(buffer, (count) =>
      this.push(count === buffer.length ? buffer : buffer.subarray(0, count)),
    );
  }

  /**
   * Writes all bytes to the destination, as `Readable.pipe` does, which `pipeline` calls. Reads into one buffer while the
   * other one is being written. With a new buffer for each chunk, garbage collections took a quarter of the event loop's time.
   * A stream that already has a reader is piped as usual.
   */
  override pipe<T extends NodeJS.WritableStream>(
    destination: T,
    { end = true }: { readonly end?: boolean | undefined } = {},
  ): T {
    const hasReader = this.readableFlowing !== null || this.listenerCount("readable") > 0;
    if (hasReader || this.#isReading || this.readableLength > 0)
      return super.pipe(destination, { end });
    this.#isPiped = true;
    if (end) this.once("end", () => destination.end());
    void this.#copyTo(destination);
    return destination;
  }

  async #copyTo(destination: NodeJS.WritableStream): Promise<void> {
    const length = Math.min(chunkBytes, this.#left);
    let idle = { buffer: Buffer.allocUnsafeSlow(length), isWritten: Promise.resolve() };
    let busy = { buffer: Buffer.allocUnsafeSlow(length), isWritten: Promise.resolve() };
    while (this.#left > 0) {
      await idle.isWritten;
      if (this.destroyed) return;
      const { buffer } = idle;
      // Nothing happens any more if the read fails: the stream is destroyed.
      const count = await new Promise<number>((done) => this.#readInto(buffer, done));
      const isWritten = new Promise<void>((done) => {
        destination.write(buffer.subarray(0, count), () => done());
      });
      [idle, busy] = [busy, { buffer, isWritten }];
    }
    this.push(null);
    // Emits `end`.
    this.resume();
  }

  /** Reads the next bytes, at most as many as the buffer has. Destroys the stream if that fails. */
  #readInto(buffer: Buffer, done: (count: number) => void): void {
    const { limitMs, operations = diskOperations } = this.#limits;
    this.#isReading = true;
    const timer = setTimeout(() => this.destroy(hungError(this.#source.folder, limitMs)), limitMs);
    const ended = () => {
      clearTimeout(timer);
      operations.release();
      this.#isReading = false;
      if (this.destroyed) this.#close();
    };
    const start = () => this.#readChunk(buffer, ended, done);
    if (operations.tryAcquire()) start();
    else void operations.acquire().then(() => (this.destroyed ? ended() : start()));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // A file must not be closed while it is read: another file could get its descriptor.
    if (!this.#isReading) this.#close();
    done(error);
  }

  #readChunk(buffer: Buffer, ended: () => void, done: (count: number) => void): void {
    const { fd, folder } = this.#source;
    const wanted = Math.min(buffer.length, this.#left);
    read(fd, buffer, 0, wanted, this.#position, (error, count) => {
      ended();
      if (this.destroyed) return;
      if (error) this.destroy(diskError(folder, error) as Error);
      else if (count === 0) this.destroy(this.#tooShort());
      else {
        this.#position += count;
        this.#left -= count;
        done(count);
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
