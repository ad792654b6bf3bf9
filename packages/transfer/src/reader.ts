import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

import { type Manifest, manifestSchema, sha256Pattern, transferFormat } from "./manifest.ts";
import { type Content, type RecordOf, recordSchemas } from "./records.ts";
import { TransferError } from "./transfer-error.ts";

/** Maximum bytes of a record's line. The longest message with 100,000 copies has 2 MB. */
const maxLine = 16 * 1024 * 1024;

/** Maximum depth of a record. JavaScript and PostgreSQL write and read JSON recursively, and fail at some thousand levels. */
const maxDepth = 100;

/** Maximum bytes of `manifest.json`. */
const maxManifest = 1024 * 1024;

/** A record with its line number, for error messages. */
export interface NumberedRecord<Table extends string = string> {
  readonly record: RecordOf<Table>;
  /** Counted from 1. */
  readonly line: number;
  /** Size of the line. */
  readonly bytes: number;
}

/** Reads an export without trusting it. A fault of the export is thrown as a TransferError that names the file and the line. */
export class TransferReader {
  readonly manifest: Manifest;
  /** SHA-256 of the manifest, which contains the checksums of all files of records. */
  readonly digest: string;
  readonly #folder: string;

  private constructor(folder: string, manifest: Manifest, digest: string) {
    this.#folder = folder;
    this.manifest = manifest;
    this.digest = digest;
  }

  /**
   * Opens an export.
   * @throws TransferError if it is unfinished, or its manifest is not valid
   */
  static async open(folder: string): Promise<TransferReader> {
    const name = "manifest.json";
    const text = await readManifest(folder, name);
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      throw new TransferError(name, undefined, "is not JSON");
    }
    const format = (json as { format?: unknown } | null)?.format;
    if (typeof format === "number" && format !== transferFormat)
      throw new TransferError(
        name,
        undefined,
        `has format ${format}, and this version reads format ${transferFormat}: import it with the version of Carillon that exported it`,
      );
    const parsed = manifestSchema.safeParse(json);
    if (!parsed.success) throw new TransferError(name, undefined, firstProblem(parsed.error));
    const names = parsed.data.records.map(({ file }) => file);
    const twice = names.find((one, index) => names.indexOf(one) !== index);
    if (twice !== undefined) throw new TransferError(name, undefined, `names ${twice} twice`);
    return new TransferReader(folder, parsed.data, createHash("sha256").update(text).digest("hex"));
  }

  /** The tables that have a file of records. */
  get tables(): string[] {
    return this.manifest.records.map(({ file }) => file.slice(0, -".ndjson".length));
  }

  /** Returns how many records a table has. */
  numberOf(table: string): number {
    return this.manifest.records.find(({ file }) => file === `${table}.ndjson`)?.count ?? 0;
  }

  /**
   * Compares the size and SHA-256 of all files of records with the manifest.
   * @throws TransferError if they differ
   */
  async verify(): Promise<void> {
    for (const { file, bytes, sha256 } of this.manifest.records) {
      const hash = createHash("sha256");
      const handle = await this.#open(file);
      try {
        const { size } = await handle.stat();
        if (size !== bytes)
          throw new TransferError(file, undefined, `has ${size} bytes instead of ${bytes}`);
        for await (const part of handle.createReadStream({ autoClose: false })) hash.update(part);
      } finally {
        await handle.close();
      }
      if (hash.digest("hex") !== sha256)
        throw new TransferError(file, undefined, "has another SHA-256 than the manifest says");
    }
  }

  /**
   * Reads the records of a table. Yields none if the export has no file for the table.
   * @throws TransferError for a line that is too long or deep, is not UTF-8 or JSON, or is not a record of the table
   */
  async *records<Table extends string>(table: Table): AsyncGenerator<NumberedRecord<Table>> {
    const file = `${table}.ndjson`;
    const described = this.manifest.records.find((one) => one.file === file);
    if (!described) return;
    const schema = recordSchemas[table as keyof typeof recordSchemas];
    let line = 0;
    for await (const bytes of linesOf(file, await this.#open(file))) {
      line++;
      const value = parseLine(file, line, bytes);
      if (schema) {
        const parsed = schema.safeParse(value);
        if (!parsed.success) throw new TransferError(file, line, firstProblem(parsed.error));
      }
      yield { record: value as RecordOf<Table>, line, bytes: bytes.length };
    }
    if (line !== described.count)
      throw new TransferError(
        file,
        undefined,
        `has ${line} records instead of ${described.count}, as the manifest says`,
      );
  }

  /**
   * Opens a file of the folder `files/`. Its checksum is compared while the stream is read.
   * @throws TransferError if it is missing or has another size; the stream fails with a TransferError if its bytes differ
   */
  async file({ sha256, size }: Content): Promise<Readable> {
    if (!sha256Pattern.test(sha256)) throw new Error("not a checksum");
    const name = `files/${sha256}`;
    const handle = await this.#open(name);
    const { size: actual } = await handle.stat();
    if (actual !== size) {
      await handle.close();
      throw new TransferError(name, undefined, `has ${actual} bytes instead of ${size}`);
    }
    const stream = handle.createReadStream();
    const hash = createHash("sha256");
    return stream.compose(async function* (source: AsyncIterable<Buffer>) {
      for await (const bytes of source) {
        hash.update(bytes);
        yield bytes;
      }
      if (hash.digest("hex") !== sha256)
        throw new TransferError(name, undefined, "has another SHA-256 than its name says");
    }) as unknown as Readable;
  }

  async #open(name: string): Promise<FileHandle> {
    return openRegular(this.#folder, name);
  }
}

/** Opens a regular file. Refuses symbolic links, which could lead out of the folder. */
async function openRegular(folder: string, name: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    // Opening a named pipe for reading would wait for its writer.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    handle = await open(join(folder, name), flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new TransferError(
      name,
      undefined,
      code === "ELOOP" ? "is a symbolic link" : `cannot be read (${code})`,
    );
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new TransferError(name, undefined, "is not a file");
}

async function readManifest(folder: string, name: string): Promise<string> {
  const handle = await openRegular(folder, name).catch((error: Error) => {
    throw error.message.includes("ENOENT")
      ? new TransferError(folder, undefined, `has no ${name}: the export is unfinished`)
      : error;
  });
  try {
    if ((await handle.stat()).size > maxManifest)
      throw new TransferError(name, undefined, `has more than ${maxManifest} bytes`);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** Yields the lines of a file. Fails at a line of more than {@link maxLine} bytes before reading all of it. */
async function* linesOf(file: string, handle: FileHandle): AsyncGenerator<Buffer> {
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;
  for await (const bytes of handle.createReadStream({ highWaterMark: 256 * 1024 })) {
    let start = 0;
    for (;;) {
      const end = bytes.indexOf(10, start);
      const part = bytes.subarray(start, end === -1 ? undefined : end);
      length += part.length;
      if (length > maxLine) throw new TransferError(file, line, `has more than ${maxLine} bytes`);
      parts.push(part);
      if (end === -1) break;
      yield parts.length === 1 ? part : Buffer.concat(parts);
      line++;
      parts = [];
      length = 0;
      start = end + 1;
    }
  }
  if (length > 0) throw new TransferError(file, line, "does not end: the file was cut off");
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parseLine(file: string, line: number, bytes: Buffer): object {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new TransferError(file, line, "is not UTF-8");
  }
  let value: unknown;
  let hasNul = false;
  try {
    // A reviver is slow, so it is used only if needed: the text may also contain an escaped backslash before `u0000`.
    value = text.includes("\\u0000")
      ? JSON.parse(text, (key, one: unknown) => {
          hasNul ||= key.includes("\0") || (typeof one === "string" && one.includes("\0"));
          return one;
        })
      : JSON.parse(text);
  } catch {
    throw new TransferError(file, line, "is not JSON");
  }
  // PostgreSQL cannot store NUL characters.
  if (hasNul) throw new TransferError(file, line, "has a NUL character");
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TransferError(file, line, "is not a JSON object");
  if (isDeeper(value, maxDepth))
    throw new TransferError(file, line, `has more than ${maxDepth} levels of lists and objects`);
  return value;
}

/** Returns whether a value has more than `levels` of lists and objects. Recurses no deeper than that. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  const parts = Array.isArray(value) ? value : Object.values(value);
  return parts.some((part) => isDeeper(part, levels - 1));
}

function firstProblem(error: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): string {
  const [issue] = error.issues;
  const path = issue?.path.join(".") ?? "";
  return `${path === "" ? "" : `${path}: `}${issue?.message ?? "is not valid"}`;
}
