import type { Readable } from "node:stream";

import { type Entry, openPromise } from "yauzl";

import { TransferError } from "../transfer-error.ts";
import { checkEntryName, type SourceArchive, unpackedLimit } from "./source-archive.ts";

const nothing = Buffer.alloc(0);

/**
 * Opens a zip file. Its directory is read into memory, files are read as streams.
 * @throws TransferError for a damaged or hostile one
 */
export async function openZip(path: string, label = path): Promise<SourceArchive> {
  const refused = (problem: string): TransferError => new TransferError(label, undefined, problem);
  const zip = await openPromise(path, {
    lazyEntries: true,
    autoClose: false,
    strictFileNames: true,
  }).catch((error: Error) => {
    throw refused(`cannot be read as a zip file: ${error.message}`);
  });
  const entries = new Map<string, Entry>();
  const limit = unpackedLimit(zip.fileSize);
  let unpacked = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith("/")) continue;
      checkEntryName(label, entry.fileName, entries);
      if (entry.isEncrypted()) throw refused(`is encrypted: decrypt ${entry.fileName} first`);
      unpacked += entry.uncompressedSize;
      if (unpacked > limit)
        throw refused(`would unpack to more than ${limit} bytes, which no export of its size does`);
      // Parts of the directory would stay in memory with them.
      entry.fileNameRaw = entry.extraFieldRaw = entry.fileCommentRaw = nothing;
      entries.set(entry.fileName, entry);
    }
  } catch (error) {
    zip.close();
    if (error instanceof TransferError) throw error;
    throw refused(`cannot be read as a zip file: ${(error as Error).message}`);
  }
  return {
    names: [...entries.keys()],
    size: (name) => entries.get(name)?.uncompressedSize,
    async open(name): Promise<Readable> {
      const entry = entries.get(name);
      if (!entry) throw refused(`has no file ${name}`);
      try {
        return await zip.openReadStreamPromise(entry);
      } catch (error) {
        throw new TransferError(name, undefined, `cannot be read: ${(error as Error).message}`);
      }
    },
    async close() {
      zip.close();
    },
  };
}
