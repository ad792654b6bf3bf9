import { Readable } from "node:stream";

import { BodyReader } from "../body-reader.ts";

export interface ObjectStreamSource {
  /** The body of S3's answer; destroyed with the stream. */
  readonly body: Readable;
  /** Bytes that it must have. */
  readonly length: number;
  /** How long S3 may send nothing while more is wanted, in milliseconds. */
  readonly limitMs: number;
  /** Makes the error to report from one of the network. */
  readonly failure: (error: unknown) => Error;
  /** Makes the error to report from what is wrong with the answer. */
  readonly broken: (message: string) => Error;
}

/** Passes on the body of an answer. Fails if it has too few or too many bytes, or if it stops. */
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
