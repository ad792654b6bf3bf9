import { createHash, type Hash } from "node:crypto";
import type { Readable } from "node:stream";
import { buffer as bytesIn } from "node:stream/consumers";
import { within } from "@carillon/kit";

import { BodyReader } from "../body-reader.ts";
import { bytesOf, checkRange } from "../byte-range.ts";
import { objectPath } from "../object-key.ts";
import {
  assertDeletable,
  BodyTooSlow,
  ObjectMissing,
  type ByteRange,
  type FileStore,
  type FileStoreOptions,
  type OpenFile,
  type ReadOptions,
  type StoredFile,
} from "../store.ts";
import type { S3Config } from "./config.ts";
import { deleteObjects } from "./delete-objects.ts";
import { MultipartUpload } from "./multipart-upload.ts";
import { ObjectStream } from "./object-stream.ts";
import { partBuffers, partBytes, type PartBuffers } from "./part-buffers.ts";
import { S3Requests } from "./requests.ts";
import { signedWith } from "./signed-with.ts";
import { brokenAnswer, codeOf, placeOf, s3Error } from "./s3-errors.ts";

export interface S3Limits {
  /** Maximum milliseconds of a request, except the completion of a multipart upload, and of a pause while an object is read. */
  readonly limitMs: number;
  /** Default: the buffers of the process. */
  readonly buffers?: PartBuffers;
}

/** Maximum milliseconds that a failed upload waits until S3 has deleted its parts. */
const cleanUpMs = 2_000;

/** Path that {@link FileStore.check} writes. The content is constant, so that concurrent checks do not disturb each other. */
const checkPath = "carillon-check";
const checkContent = "Carillon can write here.\n";

/**
 * Creates a store in a bucket of S3, or of a server that speaks its protocol. Objects below 5 MiB are written by one
 * request, others by a multipart upload, so that an object exists as a whole or not at all. A request that takes longer
 * than 10 s fails; completing a multipart upload may take 30 s.
 */
export function s3Store(config: S3Config, limits: S3Limits = { limitMs: 10_000 }): FileStore {
  return new S3Store(config, limits);
}

class S3Store implements FileStore {
  readonly about: string;
  readonly #config: S3Config;
  readonly #limitMs: number;
  readonly #buffers: PartBuffers;
  readonly #requests: S3Requests;
  readonly #cleaningUp = new Set<Promise<void>>();

  constructor(config: S3Config, { limitMs, buffers = partBuffers }: S3Limits) {
    this.#limitMs = limitMs;
    this.#buffers = buffers;
    this.about = `in the bucket ${placeOf(config)}`;
    this.#config = config;
    this.#requests = new S3Requests(config);
  }

  async put(key: string, body: Readable, options: FileStoreOptions = {}): Promise<StoredFile> {
    const path = objectPath(key);
    const failing = new AbortController();
    const signals = [failing.signal, ...(options.signal ? [options.signal] : [])];
    const signal = AbortSignal.any(signals);
    const reader = new BodyReader(body, signal);
    const upload = new MultipartUpload({
      requests: this.#requests,
      bucket: this.#config.bucket,
      path,
      limitMs: this.#limitMs,
      signal,
      buffers: this.#buffers,
      onFailure: (error) => failing.abort(s3Error(this.#config, error)),
    });
    try {
      return await this.#write(reader, upload, path, signal, () => failing.abort(bodyTooSlow()));
    } catch (error) {
      const reported = reader.reason ?? s3Error(this.#config, error);
      const cleanUp = this.#cleanUp(upload, path);
      // If S3 itself has failed, waiting for it would be in vain.
      if (reader.reason && !failing.signal.aborted) await within(cleanUp, cleanUpMs);
      throw reported;
    } finally {
      reader.release();
    }
  }

  async get(key: string, options: ReadOptions = {}): Promise<OpenFile> {
    const { range, signal } = options;
    if (range) checkRange(range);
    const path = objectPath(key);
    const answer = await this.#read(path, range, signal).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      if (codeOf(error) === "NoSuchKey") throw new ObjectMissing(key);
      if (codeOf(error) === "InvalidRange") throw beyond(range);
      throw s3Error(this.#config, error);
    });
    const body = answer.Body as Readable;
    try {
      const { size, length } = this.#lengthsOf(answer, range);
      const source = {
        body,
        length,
        limitMs: this.#limitMs,
        failure: (error: unknown) => s3Error(this.#config, error),
        broken: (message: string) => brokenAnswer(this.#config, message),
      };
      return { stream: new ObjectStream(source, signal), size, length };
    } catch (error) {
      body.on("error", () => {});
      body.destroy();
      throw error;
    }
  }

  async read(key: string, size: number): Promise<Buffer> {
    const { stream, size: found } = await this.get(key);
    if (found === size) return bytesIn(stream);
    stream.on("error", () => {});
    stream.destroy();
    throw brokenAnswer(this.#config, `the object ${key} does not have ${size} bytes`);
  }

  async stat(
    key: string,
    { signal }: FileStoreOptions = {},
  ): Promise<{ readonly size: number } | undefined> {
    const path = objectPath(key);
    const { bucket: Bucket } = this.#config;
    return this.#reporting(async () => {
      try {
        const { ContentLength } = await this.#requests.make(
          (client, { HeadObjectCommand: Head }, sending) =>
            client.send(new Head({ Bucket, Key: path }), sending),
          this.#limitMs,
          signal,
        );
        if (ContentLength === undefined)
          throw brokenAnswer(this.#config, "its answer has no length");
        return { size: ContentLength };
      } catch (error) {
        if (codeOf(error) !== "NotFound") throw error;
      }
      // A 404 to HEAD does not say whether the object or the bucket is missing.
      await this.#requests.make(
        (client, { HeadBucketCommand: Head }, sending) =>
          client.send(new Head({ Bucket }), sending),
        this.#limitMs,
        signal,
      );
      return undefined;
    }, signal);
  }

  async delete(keys: readonly string[]): Promise<void> {
    assertDeletable(keys);
    const paths = keys.map(objectPath);
    await this.#reporting(() => this.#delete(paths));
  }

  async check({ signal }: FileStoreOptions = {}): Promise<void> {
    await this.#reporting(async () => {
      await this.#putWhole(checkPath, Buffer.from(checkContent), signal);
      const { Body } = await this.#read(checkPath, undefined, signal);
      if (String(await bytesIn(Body as Readable)) !== checkContent)
        throw brokenAnswer(
          this.#config,
          "a test object was read with other bytes than were written",
        );
    }, signal);
  }

  async close(): Promise<void> {
    await within(Promise.all(this.#cleaningUp), cleanUpMs);
    this.#requests.close();
  }

  async #write(
    reader: BodyReader,
    upload: MultipartUpload,
    path: string,
    signal: AbortSignal,
    tooSlow: () => void,
  ): Promise<StoredFile> {
    const hash = createHash("sha256");
    let size = 0;
    // Take a buffer only if there is more to read. An empty body takes one too.
    while ((await reader.hasMore()) || size === 0) {
      const buffer = await this.#buffers.take(reader, tooSlow);
      const { length, sha256 } = await fill(buffer, reader, hash).catch((error: unknown) => {
        this.#buffers.giveBack(buffer, true);
        throw error;
      });
      this.#buffers.filled(buffer);
      size += length;
      if (size < partBytes) {
        await this.#putWhole(path, buffer.subarray(0, length), signal, sha256).then(
          () => this.#buffers.giveBack(buffer, true),
          (error: unknown) => {
            this.#buffers.giveBack(buffer, false);
            throw error;
          },
        );
        return { size, sha256: hash.digest() };
      }
      await upload.send(buffer, length, sha256);
      if (length < partBytes) break;
    }
    await upload.complete();
    return { size, sha256: hash.digest() };
  }

  async #putWhole(
    Key: string,
    Body: Buffer,
    signal: AbortSignal | undefined,
    sha256?: string,
  ): Promise<void> {
    const { bucket: Bucket } = this.#config;
    await this.#requests.make(
      (client, { PutObjectCommand: Put }, sending) =>
        client.send(signedWith(new Put({ Bucket, Key, Body }), sha256), sending),
      this.#limitMs,
      signal,
    );
  }

  async #read(Key: string, range: ByteRange | undefined, signal: AbortSignal | undefined) {
    const { bucket: Bucket } = this.#config;
    const Range = range && `bytes=${range.start}-${range.end}`;
    return this.#requests.make(
      (client, { GetObjectCommand: Get }, sending) =>
        client.send(new Get({ Bucket, Key, Range }), sending),
      this.#limitMs,
      signal,
    );
  }

  /**
   * Returns the sizes of the object and of the answer.
   * @throws StorageUnavailable if the answer does not have exactly the requested bytes
   */
  #lengthsOf(
    answer: {
      readonly ContentLength?: number | undefined;
      readonly ContentRange?: string | undefined;
    },
    range: ByteRange | undefined,
  ): { readonly size: number; readonly length: number } {
    const { ContentLength: length, ContentRange: told } = answer;
    if (length === undefined) throw brokenAnswer(this.#config, "its answer has no length");
    if (!range) return { size: length, length };
    const [, from, to, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(told ?? "") ?? [];
    const size = Number(total);
    const wanted = bytesOf(size, range);
    const given = { start: Number(from), length: Number(to) - Number(from) + 1 };
    if (given.start !== wanted.start || given.length !== wanted.length || length !== wanted.length)
      throw brokenAnswer(this.#config, "its answer has other bytes than the requested ones");
    return { size, length };
  }

  /** Deletes what a failed upload may have stored. Never rejects: the owner of the key deletes it later anyway. */
  async #cleanUp(upload: MultipartUpload, path: string): Promise<void> {
    const work: Promise<void> = upload
      .abort()
      // S3 no longer knows the upload if its completion succeeded but the answer was lost: then the object exists.
      .catch(() => {})
      .then(() => this.#delete([path]))
      .catch(() => {})
      .finally(() => void this.#cleaningUp.delete(work));
    this.#cleaningUp.add(work);
    await work;
  }

  async #delete(paths: readonly string[]): Promise<void> {
    await deleteObjects(this.#requests, this.#config, paths, this.#limitMs);
  }

  async #reporting<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw signal?.aborted ? error : s3Error(this.#config, error);
    }
  }
}

/**
 * Reads the body until the buffer is full or the body ends. Returns the number of bytes in the buffer, and their hash for the
 * signature: hashing a whole part at once would block the event loop.
 */
async function fill(
  buffer: Buffer,
  reader: BodyReader,
  hash: Hash,
): Promise<{ readonly length: number; readonly sha256: string }> {
  const ofPart = createHash("sha256");
  let length = 0;
  while (length < buffer.length) {
    const chunk = await reader.next();
    if (!chunk) break;
    const taken = chunk.subarray(0, buffer.length - length);
    buffer.set(taken, length);
    hash.update(taken);
    ofPart.update(taken);
    length += taken.length;
    if (taken.length < chunk.length) reader.giveBack(chunk.subarray(taken.length));
  }
  return { length, sha256: ofPart.digest("hex") };
}

function bodyTooSlow(): BodyTooSlow {
  return new BodyTooSlow("the body took more than a minute for 5 MiB while other uploads waited");
}

function beyond(range: ByteRange | undefined): RangeError {
  return new RangeError(`the object does not have byte ${range?.start}`);
}
