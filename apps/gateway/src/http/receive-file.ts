import { type ApiError, errors, type Operation } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";
import type { StoredFile } from "@carillon/domain";
import type { Context } from "koa";
import { multipartType } from "./body.ts";
import type { FileBytes, FilePart } from "./field-sink.ts";
import type { Fields } from "./fields.ts";
import type { FileIntake } from "./file-intake.ts";
import { MultipartStream } from "./multipart-stream.ts";
import { ObjectWriter } from "./object-writer.ts";
import type { StreamedRequest } from "./streamed-request.ts";

/** Maximum bytes of the other parts of a body with a file. */
const formBytes = 1024 * 1024;

/** The request whose body has the file. */
interface FileRequest {
  readonly request: StreamedRequest;
  readonly deadline: RequestDeadline;
  readonly realmId: number;
  /** Thrown if the body has exactly one file, instead of an error about its size. */
  readonly refusal: ApiError | undefined;
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
  maxBytes: number,
  { request, deadline, realmId, refusal }: FileRequest,
): Promise<StoredFile> {
  const { headers } = ctx.req;
  if (!ctx.is(multipartType))
    throw errors.badRequest("Send the file as a file part of a multipart/form-data body");
  const announced = Number(headers["content-length"] ?? 0);
  const tooLarge = () => refusal ?? errors.fileTooLarge(maxBytes);
  if (announced > maxBytes + formBytes) throw tooLarge();
  if (!operation.takesPicture) await intake.checkRoom(realmId, announced - formBytes);

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
        const writer = new ObjectWriter(intake, deadline.signal);
        return (file = new ArrivingFile(part, writer, maxBytes, tooLarge));
      },
    },
    headers["content-type"] ?? "",
  );
  let rest = maxBytes + formBytes;
  try {
    await request.readBody((chunk) => {
      rest -= chunk.length;
      if (rest < 0) throw errors.requestTooLarge(maxBytes + formBytes);
      form.write(chunk);
      return file?.drained();
    });
    form.end();
    if (!file) throw errors.badRequest("The body has no file part with a file name");
    if (refusal) throw refusal;
    return await file.stored();
  } catch (error) {
    await file?.abandon(error);
    throw error;
  }
}

/** The file of a request on its way into the store. */
class ArrivingFile implements FileBytes {
  readonly #part: FilePart;
  readonly #object: ObjectWriter;
  readonly #maxBytes: number;
  readonly #tooLarge: () => ApiError;
  #size = 0;

  /** @param tooLarge makes the error of a file over `maxBytes` */
  constructor(part: FilePart, object: ObjectWriter, maxBytes: number, tooLarge: () => ApiError) {
    this.#part = part;
    this.#object = object;
    this.#maxBytes = maxBytes;
    this.#tooLarge = tooLarge;
  }

  write(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) throw this.#tooLarge();
    this.#object.write(bytes);
  }

  end(): void {
    this.#object.end();
  }

  /** Waits until the store accepts more bytes; see {@link ObjectWriter.drained}. */
  drained(): Promise<void> | undefined {
    return this.#object.drained();
  }

  /** Resolves when the file is durable. */
  async stored(): Promise<StoredFile> {
    const { filename, contentType } = this.#part;
    return { ...(await this.#object.stored()), filename, contentType };
  }

  /** Stops storing, and deletes what is stored; see {@link ObjectWriter.abandon}. */
  async abandon(reason: unknown): Promise<void> {
    await this.#object.abandon(reason);
  }
}
