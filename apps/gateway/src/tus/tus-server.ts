import { DataStore, ERRORS, type Locker, Metadata, Server, Upload } from "@tus/server";
import { createResumableUpload, tusExtensions, tusVersion } from "@carillon/contract";
import { newResumableId, type ResumableUpload, resumableMs } from "@carillon/domain";
import type { RawReply } from "../http/handler.ts";
import type { StreamedRequest } from "../http/streamed-request.ts";
import { TusRefusal } from "./tus-refusal.ts";
import type { FileFacts, UploadSession } from "./upload-session.ts";

/** Maximum characters of `Upload-Metadata`, because answers repeat it in their head. */
const maxMetadata = 8 * 1024;

const bytesType = "application/offset+octet-stream";

/** The headers that the library reads. */
const requestHeaders = [
  "Content-Length",
  "Content-Type",
  "Tus-Resumable",
  "Upload-Concat",
  "Upload-Length",
  "Upload-Metadata",
  "Upload-Offset",
];

/** Response headers that the gateway sets itself. */
const ownHeaders = /^(access-control-|connection$|content-length$)/;

/** A request of the tus protocol, with what is needed to answer it. */
export interface TusRequest {
  readonly request: StreamedRequest;
  readonly session: UploadSession;
  /** Undefined for a request that begins an upload. */
  readonly uploadId: string | undefined;
  /** Maximum bytes of a file. */
  readonly maxSize: number;
  /** The address that clients use. */
  readonly publicUrl: string;
}

/**
 * Answers a request as tus 1.0.0 does (files.md §7), with `@tus/server`: it checks headers and offsets. The body does not go
 * through the library, which would copy it through two web streams.
 * @throws ApiError
 */
export async function answerTus(tus: TusRequest): Promise<RawReply> {
  const { request, session, uploadId, maxSize, publicUrl } = tus;
  const refusal = refusalOf(request);
  if (refusal) return refusal;
  const { path } = createResumableUpload;
  let failure: unknown;
  const locker: Locker = {
    newLock: (id) => ({
      // Reading the offset needs no lease, and a new upload has one.
      lock: async () => {
        if (request.method === "PATCH" || request.method === "DELETE") await session.lease(id);
      },
      unlock: () => session.release(),
    }),
  };
  const server = new Server({
    path,
    datastore: new SessionStore(session, request),
    maxSize,
    locker,
    namingFunction: newResumableId,
    generateUrl: (_, { id }) => `${publicUrl}${path}/${id}`,
    async onUploadFinish(_, { id }) {
      const { pathId, name } = (await session.find(id)) ?? {};
      return {
        // The answer to a creation has the header `Location` only with status 201.
        ...(request.method === "POST" ? {} : { status_code: 200 }),
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ url: `/user_uploads/${pathId}`, filename: name }),
      };
    },
    onResponseError(_, error) {
      failure = error;
      return undefined;
    },
  });
  const address = uploadId === undefined ? path : `${path}/${encodeURIComponent(uploadId)}`;
  const headers = requestHeaders.flatMap((name) => {
    const value = request.header(name);
    return value === undefined ? [] : [[name, value] as [string, string]];
  });
  const response = await server.handleWeb(
    new Request(new URL(address, publicUrl), { method: request.method, headers }),
  );
  if (failure !== undefined && !isOfTus(failure)) throw failure;
  return {
    status: response.status,
    headers: Object.fromEntries([
      ["Content-Type", "text/plain; charset=utf-8"],
      ...[...response.headers].filter(([name]) => !ownHeaders.test(name)).map(capitalized),
    ]),
    body: await response.text(),
  };
}

/** Refuses requests that the library would accept, or refuse with a status other than that of tus or files.md §7. */
function refusalOf(request: StreamedRequest): RawReply | undefined {
  const refused = (status: number, text: string, headers?: Record<string, string>) => ({
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
    body: `${text}\n`,
  });
  const { method } = request;
  if (request.header("Tus-Resumable") !== tusVersion)
    return refused(412, `Send Tus-Resumable: ${tusVersion}`, { "Tus-Version": tusVersion });
  if (request.header("Content-Encoding") !== undefined)
    return refused(415, "Send the bytes without Content-Encoding");
  if (method === "POST" && request.header("Upload-Defer-Length") !== undefined)
    return refused(411, "Send the size of the file in Upload-Length");
  if ((request.header("Upload-Metadata")?.length ?? 0) > maxMetadata)
    return refused(400, `Upload-Metadata has more than ${maxMetadata} characters`);
  if (method !== "PATCH") return undefined;
  if (request.header("Content-Type") !== bytesType)
    return refused(415, `Send Content-Type: ${bytesType}`);
  if (request.header("Upload-Offset") === undefined)
    return refused(400, "Send the number of stored bytes in Upload-Offset");
  return undefined;
}

/** Returns whether an error has a status of tus. The errors of the library are plain objects. */
function isOfTus(error: unknown): boolean {
  return (
    error instanceof TusRefusal ||
    (typeof error === "object" && error !== null && "status_code" in error)
  );
}

function capitalized([name, value]: [string, string]): [string, string] {
  return [name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()), value];
}

/** The library's view of the upload of one request. */
class SessionStore extends DataStore {
  override extensions = [...tusExtensions];
  readonly #session: UploadSession;
  readonly #request: StreamedRequest;

  constructor(session: UploadSession, request: StreamedRequest) {
    super();
    this.#session = session;
    this.#request = request;
  }

  override async create(upload: Upload): Promise<Upload> {
    const metadata = this.#request.header("Upload-Metadata") ?? "";
    const fresh = { id: upload.id, size: upload.size ?? 0, metadata };
    await this.#session.begin(fresh, factsOf(metadata));
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    return asUpload(await this.#found(id));
  }

  override async write(unused: AsyncIterable<unknown>, id: string): Promise<number> {
    // The library waits until its own stream, which is empty, has been read.
    for await (const _ of unused);
    return this.#session.append(factsOf((await this.#found(id)).metadata));
  }

  override async remove(): Promise<void> {
    await this.#session.remove();
  }

  override getExpiration(): number {
    return resumableMs;
  }

  async #found(id: string): Promise<ResumableUpload> {
    const found = await this.#session.find(id);
    if (!found) throw ERRORS.FILE_NOT_FOUND;
    return found;
  }
}

function asUpload({ id, size, received, metadata, createdAt }: ResumableUpload): Upload {
  return new Upload({
    id,
    size,
    offset: received,
    ...(metadata === "" ? {} : { metadata: Metadata.parse(metadata) }),
    creation_date: new Date(createdAt * 1_000).toISOString(),
  });
}

/**
 * Returns the name and the type of a file, as its client sent them.
 * @param metadata the header `Upload-Metadata`, which the library has checked
 */
function factsOf(metadata: string): FileFacts {
  const { filename, filetype } = metadata === "" ? {} : Metadata.parse(metadata);
  return { filename: filename ?? "", contentType: filetype ?? undefined };
}
