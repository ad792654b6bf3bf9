import { Readable } from "node:stream";

import { BodyReader } from "../body-reader.ts";

export interface ObjectStreamSource {
  /** The body of S3's answer; destroyed with the stream. */
  readonly body: Readable;
  /** Bytes that the body must have. */
  readonly length: number;
  /** Maximum milliseconds of waiting for the next bytes of S3. */
  readonly limitMs: number;
  /** Converts an error of the network to the error to report. */
  readonly failure: (error: unknown) => Error;
  /** Creates the error to report for an invalid answer. */
  readonly broken: (message: string) => Error;
}

/** Yields the body of an answer. Fails if the body has too few or too many bytes, or stalls. */
export class ObjectStream extends Readable {
  readonly #source: ObjectStreamSource;
  readonly #reader: BodyReader;
  #left: number;

  constructor(source: ObjectStreamSource, signal?: AbortSignal) {
    super({ ...(signal && { signal }) });
    this.#source = source;
    this.#reader = new BodyReader(source.body);
    this.#left = source.length;
  }

  override _read(): void {
    this.#pull().catch((error: unknown) => this.destroy(this.#source.failure(error)));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // This also ends a pull that is waiting.
    this.#source.body.destroy();
    done(error);
  }

  async #pull(): Promise<void> {
    const { limitMs } = this.#source;
    const stalled = setTimeout(() => {
      this.destroy(this.#source.broken(`it sent nothing for ${limitMs / 1_000} s`));
    }, limitMs);
    const chunk = await this.#reader.next().finally(() => clearTimeout(stalled));
    if (this.destroyed) return;
    this.#left -= chunk?.length ?? 0;
    if (this.#left < 0) this.destroy(this.#source.broken("it sent more bytes than it announced"));
    else if (chunk) this.push(chunk);
    else if (this.#left === 0) this.push(null);
    else this.destroy(this.#source.broken("it sent fewer bytes than it announced"));
  }
}
