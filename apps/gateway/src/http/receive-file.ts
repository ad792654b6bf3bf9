import { errors, type Operation } from "@carillon/contract";
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
  realmId: number,
  { request, deadline }: { readonly request: StreamedRequest; readonly deadline: RequestDeadline },
): Promise<StoredFile> {
  const { headers } = ctx.req;
  if (!ctx.is(multipartType))
    throw errors.badRequest("Send the file as a file part of a multipart/form-data body");
  const announced = Number(headers["content-length"] ?? 0);
  if (announced > maxBytes + formBytes) throw errors.fileTooLarge(maxBytes);
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
        return (file = new ArrivingFile(part, maxBytes, intake, deadline.signal));
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
    return await file.stored();
  } catch (error) {
    await file?.abandon(error);
    throw error;
  }
}

/** The file of a request on its way into the store. */
class ArrivingFile implements FileBytes {
  readonly #part: FilePart;
  readonly #maxBytes: number;
  readonly #object: ObjectWriter;
  #size = 0;

  constructor(part: FilePart, maxBytes: number, intake: FileIntake, signal: AbortSignal) {
    this.#part = part;
    this.#maxBytes = maxBytes;
    this.#object = new ObjectWriter(intake, signal);
  }

  write(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size > this.#maxBytes) throw errors.fileTooLarge(this.#maxBytes);
    this.#object.write(bytes);
  }

  end(): void {
    this.#object.end();
  }

  /** See {@link ObjectWriter.drained}. */
  drained(): Promise<void> | undefined {
    return this.#object.drained();
  }

  /** Resolves when the file is durable. */
  async stored(): Promise<StoredFile> {
    const { filename, contentType } = this.#part;
    return { ...(await this.#object.stored()), filename, contentType };
  }

  /** See {@link ObjectWriter.abandon}. */
  async abandon(reason: unknown): Promise<void> {
    await this.#object.abandon(reason);
  }
}
