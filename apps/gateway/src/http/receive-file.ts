import type { Readable } from "node:stream";
import { PassThrough } from "node:stream";
import { errors, type Operation } from "@carillon/contract";
import { sniffedBytes, type StoredFile } from "@carillon/domain";
import type { Context } from "koa";
import { fileSemaphore } from "./account-semaphore.ts";
import { admitBody, type Sender } from "./arriving-body.ts";
import { multipartType } from "./body.ts";
import type { FileBytes, FilePart } from "./field-sink.ts";
import type { Fields } from "./fields.ts";
import { MultipartStream } from "./multipart-stream.ts";
import { readChunks } from "./streamed-body.ts";

/** Maximum bytes of the other parts of a body with a file. */
const formBytes = 1024 * 1024;

/** Maximum milliseconds that a body with a file may take. */
const longestMs = 3_600_000;

/** Stores the files of requests, before their handlers run. */
export interface FileIntake {
  /**
   * Checks before the body is read whether the file may fit into the organization's quota.
   * @param bytes a lower bound of the file's size; below 0 if nothing is known
   * @throws ApiError `REALM_UPLOAD_QUOTA`
   */
  checkRoom(realmId: number, bytes: number): Promise<void>;
  /**
   * Stores the bytes under a new key.
   * @throws ApiError `INTERNAL_ERROR` (503) if the file store fails
   */
  store(
    bytes: Readable,
    signal: AbortSignal,
  ): Promise<{ readonly key: string; readonly size: number; readonly sha256: Buffer }>;
  /** Deletes an object of `store` unless a committed transaction uses it. Never rejects. */
  discard(key: string): Promise<void>;
}

/** Refuses all files. */
export const noFileIntake: FileIntake = {
  checkRoom: () => Promise.reject(errors.storageUnavailable()),
  store: () => Promise.reject(errors.storageUnavailable()),
  discard: async () => {},
};

/** Limits of a request with a file. */
export interface FileBounds {
  /** Maximum bytes of the file. */
  readonly maxBytes: number;
  /** Milliseconds in which at least one byte must arrive. */
  readonly idleMs: number;
  /** Milliseconds that the request has after its last byte. */
  readonly deadlineMs: number;
}

/**
 * Streams the only file part of a multipart body into the file store (files.md §1), and adds the names of other parts to
 * the fields. Until the last byte the request's deadline is an hour.
 * @throws ApiError 400 for a body that is not a complete form with one file, and over the quota; 413 for a file over
 *   `maxBytes`; 408 for a body that stalls; 503 after the deadline or if the file store fails
 */
export async function receiveFile(
  ctx: Context,
  fields: Fields,
  operation: Operation,
  intake: FileIntake,
  { maxBytes, idleMs, deadlineMs }: FileBounds,
  { accountId, realmId, deadline }: Omit<Sender, "idleMs"> & { readonly realmId: number },
): Promise<StoredFile> {
  const { req } = ctx;
  if (!ctx.is(multipartType))
    throw errors.badRequest("Send the file as a file part of a multipart/form-data body");
  const announced = Number(req.headers["content-length"] ?? 0);
  if (announced > maxBytes + formBytes) throw errors.fileTooLarge(maxBytes);
  deadline.limit(longestMs, () => errors.unavailable());
  await intake.checkRoom(realmId, announced - formBytes);
  await admitBody(ctx, { accountId, deadline, idleMs }, fileSemaphore, 0);

  let file: ArrivingFile | undefined;
  const form = new MultipartStream(
    {
      ...fields.sinkFor(operation),
      file(part) {
        if (part.filename === "") {
          fields.addFile(part.name);
          return undefined;
        }
        if (file) throw errors.badRequest("Send one file only: the body has a second file part");
        return (file = new ArrivingFile(part, maxBytes, intake, deadline.signal));
      },
    },
    req.headers["content-type"] ?? "",
  );
  let rest = maxBytes + formBytes;
  try {
    await readChunks(ctx, deadline, (chunk) => {
      rest -= chunk.length;
      if (rest < 0) throw errors.requestTooLarge(maxBytes + formBytes);
      form.write(chunk);
      return file?.written();
    });
    form.end();
    deadline.limit(deadlineMs, () => errors.unavailable());
    if (!file) throw errors.badRequest("The body has no file part with a file name");
    return await file.stored();
  } catch (error) {
    deadline.limit(deadlineMs, () => errors.unavailable());
    await file?.abandon(error);
    throw error;
  }
}

/** The file of a request on its way into the store. */
class ArrivingFile implements FileBytes {
  readonly #part: FilePart;
  readonly #maxBytes: number;
  readonly #intake: FileIntake;
  readonly #bytes = new PassThrough({ highWaterMark: 256 * 1024 });
  readonly #storing: ReturnType<FileIntake["store"]>;
  readonly #head: Buffer[] = [];
  #size = 0;
  #headSize = 0;

  constructor(part: FilePart, maxBytes: number, intake: FileIntake, signal: AbortSignal) {
    this.#part = part;
    this.#maxBytes = maxBytes;
    this.#intake = intake;
    this.#storing = intake.store(this.#bytes, signal);
    // `written` and `stored` report the failure.
    this.#storing.catch(() => {});
    this.#bytes.on("error", () => {});
  }

  write(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) throw errors.fileTooLarge(this.#maxBytes);
    if (this.#headSize < sniffedBytes) {
      const part = bytes.subarray(0, sniffedBytes - this.#headSize);
      this.#head.push(part);
      this.#headSize += part.length;
    }
    this.#bytes.write(bytes);
  }

  end(): void {
    this.#bytes.end();
  }

  /** Waits until the store accepts more bytes; undefined if it does now. Rejects if storing fails. */
  written(): Promise<void> | undefined {
    if (!this.#bytes.writableNeedDrain) return undefined;
    const drained = new Promise<void>((resolve) => this.#bytes.once("drain", resolve));
    return Promise.race([drained, this.#storing.then(() => {})]);
  }

  /** Resolves when the file is durable. */
  async stored(): Promise<StoredFile> {
    const stored = await this.#storing;
    const { filename, contentType } = this.#part;
    return { ...stored, filename, contentType, head: Buffer.concat(this.#head) };
  }

  /** Stops storing, and deletes the object if it was already stored. */
  async abandon(reason: unknown): Promise<void> {
    this.#bytes.destroy(reason instanceof Error ? reason : new Error("the upload was refused"));
    const stored = await this.#storing.catch(() => undefined);
    if (stored) await this.#intake.discard(stored.key);
  }
}
