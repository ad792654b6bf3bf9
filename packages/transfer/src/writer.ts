import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

import {
  type Manifest,
  manifestSchema,
  recordFilePattern,
  sha256Pattern,
  transferFormat,
} from "./manifest.ts";
import type { Content, RecordOf } from "./records.ts";
import { TransferError } from "./transfer-error.ts";

/** Characters of records that are collected before they are written. */
const chunk = 256 * 1024;

/** Writes an export into a folder. The manifest is written last: a folder without it is an unfinished export. */
export class TransferWriter {
  readonly #folder: string;
  readonly #source: Manifest["source"];
  readonly #records: Manifest["records"] = [];

  private constructor(folder: string, source: Manifest["source"]) {
    this.#folder = folder;
    this.#source = source;
  }

  /**
   * Opens a folder, or creates it. Keeps the uploaded files of an unfinished export, and deletes its records.
   * @throws TransferError if the folder contains a finished export, or anything that is not part of an export
   */
  static async open(folder: string, source: Manifest["source"]): Promise<TransferWriter> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    if (names.includes("manifest.json"))
      throw new TransferError(folder, undefined, "already has a finished export");
    const begun = names.filter((name) => name !== "files");
    // An unfinished export has this folder; without it, even files of records are something else.
    const foreign = names.includes("files") ? begun.find((name) => !isOfExport(name)) : begun[0];
    if (foreign !== undefined)
      throw new TransferError(folder, undefined, `has ${foreign}, which is not of an export`);
    for (const name of begun) await rm(join(folder, name), { force: true });
    await mkdir(join(folder, "files"), { recursive: true, mode: 0o700 });
    return new TransferWriter(folder, source);
  }

  /**
   * Writes the records of one table.
   * @returns the number of records
   */
  async write<Table extends string>(
    table: Table,
    records: AsyncIterable<RecordOf<Table>> | Iterable<RecordOf<Table>>,
  ): Promise<number> {
    return this.writeLines(table, lines(records));
  }

  /**
   * Writes records that are already JSON texts without line breaks.
   * @returns the number of records
   */
  async writeLines(table: string, texts: AsyncIterable<string>): Promise<number> {
    const file = `${table}.ndjson`;
    if (!recordFilePattern.test(file)) throw new Error(`${table} is not the name of a table`);
    const hash = createHash("sha256");
    let count = 0;
    let bytes = 0;
    await this.#intoFile(join(this.#folder, file), async (handle) => {
      let pending: string[] = [];
      let length = 0;
      const flush = async () => {
        const buffer = Buffer.from(pending.join(""));
        pending = [];
        length = 0;
        hash.update(buffer);
        bytes += buffer.length;
        await handle.writeFile(buffer);
      };
      for await (const text of texts) {
        pending.push(text, "\n");
        length += text.length;
        count++;
        if (length >= chunk) await flush();
      }
      await flush();
    });
    this.#records.push({ file, count, bytes, sha256: hash.digest("hex") });
    return count;
  }

  /** Returns whether the folder has the complete file. A file gets its name only after its checksum has been compared. */
  async hasFile({ sha256, size }: Content): Promise<boolean> {
    const found = await stat(this.#pathOf(sha256)).catch(() => undefined);
    return found?.isFile() === true && found.size === size;
  }

  /**
   * Writes a file with known size and checksum, unless the folder already has it.
   * @returns whether it was written
   * @throws TransferError if the source has other bytes
   */
  async addFile(expected: Content, source: () => Promise<Readable>): Promise<boolean> {
    if (await this.hasFile(expected)) return false;
    const path = this.#pathOf(expected.sha256);
    const hash = createHash("sha256");
    let size = 0;
    await this.#intoFile(path, async (handle) => {
      for await (const bytes of await source()) {
        hash.update(bytes);
        size += bytes.length;
        await handle.writeFile(bytes);
      }
      if (size !== expected.size || hash.digest("hex") !== expected.sha256)
        throw new TransferError(
          `files/${expected.sha256}`,
          undefined,
          "its source has other bytes",
        );
    });
    return true;
  }

  /**
   * Writes a copy of a file.
   * @returns its size and checksum
   */
  async copyFile(path: string): Promise<Content> {
    const hash = createHash("sha256");
    let size = 0;
    for await (const bytes of createReadStream(path)) {
      hash.update(bytes);
      size += bytes.length;
    }
    const content = { sha256: hash.digest("hex"), size };
    await this.addFile(content, async () => createReadStream(path));
    return content;
  }

  /** Writes the manifest, which makes the export complete. */
  async finish(
    more: Partial<Pick<Manifest, "final" | "keyId" | "greatestIds">> = {},
  ): Promise<Manifest> {
    const manifest = manifestSchema.parse({
      format: transferFormat,
      source: this.#source,
      madeAt: new Date().toISOString(),
      records: this.#records,
      ...more,
    });
    await this.#intoFile(join(this.#folder, "manifest.json"), (handle) =>
      handle.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`),
    );
    return manifest;
  }

  #pathOf(sha256: string): string {
    if (!sha256Pattern.test(sha256)) throw new Error(`${sha256} is not a checksum`);
    return join(this.#folder, "files", sha256);
  }

  /** Writes a file under a temporary name, and renames it once all of it is on the disk. */
  async #intoFile(path: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
    const part = `${path}.part`;
    const handle = await open(part, "w", 0o600);
    try {
      await write(handle);
      await handle.sync();
    } catch (error) {
      await handle.close();
      await rm(part, { force: true });
      throw error;
    }
    await handle.close();
    await rename(part, path);
    const folder = await open(join(path, ".."));
    await folder.sync().finally(() => folder.close());
  }
}

function isOfExport(name: string): boolean {
  return recordFilePattern.test(name.replace(/\.part$/, "")) || name === "manifest.json.part";
}

async function* lines(records: AsyncIterable<object> | Iterable<object>): AsyncGenerator<string> {
  for await (const record of records) yield JSON.stringify(record);
}
