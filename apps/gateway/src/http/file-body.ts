import { Readable } from "node:stream";
import { errors } from "@carillon/contract";
import { mediaTypeOf, safeName, type StoredFileRow } from "@carillon/domain";
import { type FileStore, ObjectMissing } from "@carillon/files";
import type { Context } from "koa";
import { namesTag } from "./entity-tag.ts";
import { errorText } from "./error-response.ts";
import type { RawAnswer, RawBody } from "./handler.ts";
import { storeRefusal } from "./store-refusal.ts";

/** Types that browsers display without running scripts (files.md §2). */
const inlineTypes = new Set([
  "application/pdf",
  ...["aac", "flac", "mp4", "mpeg", "wav", "webm"].map((kind) => `audio/${kind}`),
  ...["apng", "avif", "gif", "jpeg", "png", "webp"].map((kind) => `image/${kind}`),
  "text/plain",
  "video/mp4",
  "video/webm",
]);

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; object-src 'self'";

/** Positions of the first and the last byte. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What is needed to serve a file. */
type ServedFile = Pick<StoredFileRow, "objectKey" | "name" | "contentType" | "size" | "sha256">;

/** How a file is served. */
export interface ServingOptions {
  /** Whether browsers save the file, whatever its type. */
  readonly asAttachment?: boolean;
  /** Whether everyone may read the file, so that any cache may keep it. */
  readonly isPublic?: boolean;
}

/** Bytes of a file that is not streamed: for one piece, a stream costs more than reading the file. */
const readWhole = 64 * 1024;

/** Answers a request with the bytes of a stored file (files.md §2). */
export class FileBody implements RawBody {
  readonly #file: ServedFile;
  readonly #store: FileStore;
  readonly #options: ServingOptions;

  constructor(file: ServedFile, store: FileStore, options: ServingOptions = {}) {
    this.#file = file;
    this.#store = store;
    this.#options = options;
  }

  /**
   * Returns the file or the requested range; 304 if the client already has the file, 416 for a range outside of it.
   * @throws ApiError `BAD_REQUEST` (404) if the store has no such object; `INTERNAL_ERROR` (503) if the store fails
   */
  async answerTo(ctx: Context): Promise<RawAnswer> {
    const { size, sha256 } = this.#file;
    const tag = `"${sha256.toString("base64url")}"`;
    const headers = { ...this.#headers(), ETag: tag };
    if (namesTag(ctx.get("If-None-Match"), tag)) return { status: 304, headers, body: "" };
    const range = wantedRange(ctx, tag, size);
    if (range === "outside")
      return {
        status: 416,
        headers: { "Content-Range": `bytes */${size}`, "Cache-Control": "no-store" },
        body: errorText(
          errors.badRequest(`The range is outside of the file, which has ${size} bytes`),
        ),
      };
    const { start, end } = range ?? { start: 0, end: size - 1 };
    const part = range ? { "Content-Range": `bytes ${start}-${end}/${size}` } : {};
    const length = String(end - start + 1);
    return {
      status: range ? 206 : 200,
      headers: { ...headers, ...part, "Content-Length": length },
      body: ctx.method === "HEAD" || size === 0 ? await this.#empty() : await this.#open(range),
    };
  }

  #headers(): Record<string, string> {
    const { name, contentType } = this.#file;
    const { asAttachment = false, isPublic = false } = this.#options;
    // Browsers split the header at commas and take the last type: of `text/plain;,text/html` that is HTML.
    const type = contentType.includes(",") ? undefined : mediaTypeOf(contentType);
    const isInline = type !== undefined && inlineTypes.has(type) && !asAttachment;
    return {
      "Content-Type": contentType,
      "Accept-Ranges": "bytes",
      "X-Content-Type-Options": "nosniff",
      ...(isPublic
        ? { "Cache-Control": "public, max-age=31536000, immutable" }
        : { "Cache-Control": "private, immutable", Vary: "Authorization" }),
      "Content-Disposition": disposition(isInline ? "inline" : "attachment", name),
      "Content-Security-Policy": type === "application/pdf" ? policy : `${policy}; sandbox`,
    };
  }

  /** Checks that the object exists with its size. Returns a stream, because Koa would replace Content-Length by that of an empty text. */
  async #empty(): Promise<Readable> {
    const { objectKey, size } = this.#file;
    const found = await this.#store.stat(objectKey).catch(rethrow);
    if (!found) throw objectGone();
    if (found.size !== size) throw otherSize(this.#file, found.size);
    return Readable.from([]);
  }

  async #open(range: ByteRange | undefined): Promise<Readable | Buffer> {
    const { objectKey, size } = this.#file;
    if (!range && size <= readWhole) return this.#store.read(objectKey, size).catch(rethrow);
    const opened = await this.#store.get(objectKey, range && { range }).catch(rethrow);
    if (opened.size === size) return opened.stream;
    // Content-Length would be wrong: the client would wait for more bytes, or take them for the next answer.
    opened.stream.on("error", () => {});
    opened.stream.destroy();
    throw otherSize(this.#file, opened.size);
  }
}

function rethrow(error: unknown): never {
  throw error instanceof ObjectMissing ? objectGone() : storeRefusal(error);
}

/** Creates the refusal of a file whose object has another size. Its cause is logged: an operator must restore the object. */
function otherSize({ objectKey, size }: ServedFile, found: number) {
  const refusal = errors.storageUnavailable();
  refusal.cause = new Error(`the object ${objectKey} has ${found} of ${size} bytes`);
  return refusal;
}

function objectGone() {
  return errors.notFound404("The file does not exist any more");
}

/**
 * Reads the requested range. Ignores several ranges and invalid ones (RFC 9110 §14.2).
 * @returns undefined for the whole file
 */
function wantedRange(ctx: Context, tag: string, size: number): ByteRange | "outside" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(ctx.get("Range").trim()) ?? [];
  if (ctx.method !== "GET" || first + last === "") return undefined;
  const condition = ctx.get("If-Range");
  if (condition !== "" && condition !== tag) return undefined;
  const end = Math.min(last === "" ? size - 1 : Number(last), size - 1);
  if (first === "")
    return Number(last) === 0 || size === 0
      ? "outside"
      : { start: Math.max(size - Number(last), 0), end: size - 1 };
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size ? "outside" : { start, end };
}

/** Maximum bytes of a name in a header: clients and proxies refuse an answer whose head has more than 4 to 16 KiB. */
const maxNameInHeader = 1_024;

/**
 * Formats `Content-Disposition`. Percent-encodes a name with control or non-ASCII characters. Uses the safe name instead of
 * a name of more than {@link maxNameInHeader} bytes.
 */
function disposition(type: "inline" | "attachment", fullName: string): string {
  const name = Buffer.byteLength(fullName) > maxNameInHeader ? safeName(fullName) : fullName;
  // eslint-disable-next-line no-control-regex -- matches names without control characters
  const isPlain = /^[\x20-\x7e]*$/.test(name);
  return isPlain
    ? `${type}; filename="${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`
    : `${type}; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}
