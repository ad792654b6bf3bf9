import type { PartBuffers } from "./part-buffers.ts";
import type { S3Requests } from "./requests.ts";
import { signedWith } from "./signed-with.ts";

export interface MultipartUploadOptions {
  readonly requests: S3Requests;
  readonly bucket: string;
  readonly path: string;
  readonly buffers: PartBuffers;
  /** Maximum milliseconds of each request except the completion. */
  readonly limitMs: number;
  /** Aborts the requests that send parts, and the completion. */
  readonly signal: AbortSignal;
  /** Called at once when a part cannot be sent. */
  readonly onFailure: (error: unknown) => void;
}

/** Maximum milliseconds of the completion, during which some servers copy all bytes. */
const completionLimitMs = 30_000;

/**
 * A multipart upload. The first part begins it. Sends one part at a time, while the caller fills the buffer of the next
 * one.
 */
export class MultipartUpload {
  readonly #options: MultipartUploadOptions;
  readonly #etags: string[] = [];
  #id: Promise<string> | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: MultipartUploadOptions) {
    this.#options = options;
  }

  /**
   * Waits until the previous part has been sent, and begins to send this one. Gives the buffer back afterwards, also on
   * failure.
   * @param length bytes of the part, at the beginning of the buffer
   * @param sha256 their hash, in hexadecimal digits
   */
  async send(buffer: Buffer, length: number, sha256: string): Promise<void> {
    const { buffers, onFailure } = this.#options;
    try {
      await this.#sending;
    } catch (error) {
      buffers.giveBack(buffer, true);
      throw error;
    }
    this.#sending = this.#upload(buffer.subarray(0, length), sha256).then(
      () => buffers.giveBack(buffer, true),
      (error: unknown) => {
        buffers.giveBack(buffer, false);
        onFailure(error);
        throw error;
      },
    );
    // Prevents an unhandled rejection until the next call awaits it.
    this.#sending.catch(() => {});
  }

  /** Makes one object of the parts. */
  async complete(): Promise<void> {
    await this.#sending;
    const { requests, bucket: Bucket, path: Key, signal } = this.#options;
    const UploadId = await this.#id;
    const Parts = this.#etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
    await requests.make(
      (client, { CompleteMultipartUploadCommand: Complete }, options) =>
        client.send(new Complete({ Bucket, Key, UploadId, MultipartUpload: { Parts } }), options),
      completionLimitMs,
      signal,
    );
  }

  /** Deletes the parts. Rejects if S3 does not answer. */
  async abort(): Promise<void> {
    await this.#sending.catch(() => {});
    const UploadId = await this.#id?.catch(() => undefined);
    if (UploadId === undefined) return;
    const { requests, bucket: Bucket, path: Key, limitMs } = this.#options;
    await requests.make(
      (client, { AbortMultipartUploadCommand: Abort }, options) =>
        client.send(new Abort({ Bucket, Key, UploadId }), options),
      limitMs,
    );
  }

  async #upload(Body: Buffer, sha256: string): Promise<void> {
    const { requests, bucket: Bucket, path: Key, limitMs, signal } = this.#options;
    this.#id ??= this.#begin();
    const UploadId = await this.#id;
    const PartNumber = this.#etags.length + 1;
    const { ETag = "" } = await requests.make(
      (client, { UploadPartCommand: Upload }, options) =>
        client.send(
          signedWith(new Upload({ Bucket, Key, UploadId, PartNumber, Body }), sha256),
          options,
        ),
      limitMs,
      signal,
    );
    this.#etags.push(ETag);
  }

  /** Begins the upload. Ignores the signal, because without the answer the upload could not be aborted. */
  async #begin(): Promise<string> {
    const { requests, bucket: Bucket, path: Key, limitMs } = this.#options;
    const { UploadId } = await requests.make(
      (client, { CreateMultipartUploadCommand: Create }, options) =>
        client.send(new Create({ Bucket, Key }), options),
      limitMs,
    );
    if (UploadId === undefined) throw new Error("it gave no id for a multipart upload");
    return UploadId;
  }
}
