import { PassThrough } from "node:stream";
import { sniffedBytes } from "@carillon/domain";
import { collectYoung } from "@carillon/kit";
import type { FileIntake, StoredObject } from "./file-intake.ts";

/** Bytes of files after which the garbage of their buffers is collected. */
const collectEvery = 8 * 1024 * 1024;
let uncollected = 0;

/**
 * Collects the garbage of buffers every 8 MiB. V8 itself waits for 64 MiB: 40 uploads of 25 MiB at once raised the RSS of a
 * gateway by 60 MiB without these collections, and by 40 to 51 MiB with them.
 */
function countBytes(bytes: number): void {
  uncollected += bytes;
  if (uncollected < collectEvery) return;
  uncollected = 0;
  collectYoung();
}

/** Streams bytes into a new object of the file store, as fast as the store takes them. */
export class ObjectWriter {
  readonly #intake: FileIntake;
  // In object mode, `read` returns each chunk as it was written. In byte mode it would copy all waiting chunks into one.
  readonly #bytes = new PassThrough({
    writableHighWaterMark: 64 * 1024,
    readableObjectMode: true,
    readableHighWaterMark: 1,
  });
  readonly #storing: Promise<StoredObject>;
  readonly #head: Buffer[] = [];
  #headSize = 0;

  /** @param signal ends the storing with its reason */
  constructor(intake: FileIntake, signal?: AbortSignal) {
    this.#intake = intake;
    this.#storing = intake.store(this.#bytes, signal);
    // Avoids an unhandled rejection: `drained` and `stored` report the failure.
    this.#storing.catch(() => {});
    this.#bytes.on("error", () => {});
  }

  write(bytes: Buffer): void {
    countBytes(bytes.length);
    if (this.#headSize < sniffedBytes) {
      const part = bytes.subarray(0, sniffedBytes - this.#headSize);
      this.#head.push(part);
      this.#headSize += part.length;
    }
    this.#bytes.write(bytes);
  }

  /** Waits until the store accepts more bytes; undefined if it does now. Rejects if storing fails. */
  drained(): Promise<void> | undefined {
    if (!this.#bytes.writableNeedDrain) return undefined;
    const drained = new Promise<void>((resolve) => this.#bytes.once("drain", resolve));
    return Promise.race([drained, this.#storing.then(() => {})]);
  }

  end(): void {
    this.#bytes.end();
  }

  /** Resolves when the object is durable. `head` is its first `sniffedBytes`, or all bytes if it is shorter. */
  async stored(): Promise<StoredObject & { readonly head: Buffer }> {
    return { ...(await this.#storing), head: Buffer.concat(this.#head) };
  }

  /** Stops storing, and deletes the object if it was already stored. */
  async abandon(reason: unknown): Promise<void> {
    this.#bytes.destroy(reason instanceof Error ? reason : new Error("the upload was refused"));
    const stored = await this.#storing.catch(() => undefined);
    if (stored) await this.#intake.discard(stored.key);
  }
}
