import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

import { extract, type Extract } from "tar-stream";

import { TransferError } from "../transfer-error.ts";
import { checkEntryName, unpackedLimit } from "./source-archive.ts";

/**
 * Unpacks a tarball (`.tar`, `.tar.gz`) into an empty folder: a tarball can only be read from its beginning to its end.
 * @throws TransferError for a damaged or hostile one
 */
export async function unpackTarball(path: string, folder: string): Promise<void> {
  const { size } = await stat(path);
  const limit = unpackedLimit(size);
  const unpacked = extract();
  const names = new Map<string, true>();
  const writing = writeEntries(path, unpacked, folder, names);
  const zipped = /\.(?:gz|tgz)$/.test(path);
  const reading = pipeline(
    createReadStream(path, { highWaterMark: 256 * 1024 }),
    zipped ? createGunzip() : new PassThrough(),
    boundedTo(limit, path),
    unpacked,
  );
  const results = await Promise.allSettled([writing, reading]);
  const failures = results.flatMap((one) =>
    one.status === "rejected" ? [one.reason as Error] : [],
  );
  const [failure] = failures;
  if (!failure) return;
  throw (
    failures.find((one) => one instanceof TransferError) ??
    new TransferError(path, undefined, `cannot be read as a tarball: ${failure.message}`)
  );
}

async function writeEntries(
  path: string,
  unpacked: Extract,
  folder: string,
  names: Map<string, true>,
): Promise<void> {
  for await (const entry of unpacked) {
    const { type } = entry.header;
    const name = entry.header.name.replace(/^\.\//, "").replace(/\/$/, "");
    if (type === "directory") {
      entry.resume();
      continue;
    }
    if (type !== "file" && type !== "contiguous-file")
      throw new TransferError(
        path,
        undefined,
        `has ${JSON.stringify(name)}, which is a ${type} and not a file`,
      );
    checkEntryName(path, name, names);
    names.set(name, true);
    const target = join(folder, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 }).catch(() => {
      throw new TransferError(
        path,
        undefined,
        `has a file where ${JSON.stringify(name)} needs a folder`,
      );
    });
    await pipeline(entry, createWriteStream(target, { flags: "wx", mode: 0o600 }));
  }
}

/** Passes bytes on until there are too many. */
function boundedTo(limit: number, path: string): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      if (bytes <= limit) done(undefined, chunk);
      else
        done(
          new TransferError(
            path,
            undefined,
            `unpacks to more than ${limit} bytes, which no export of its size does`,
          ),
        );
    },
  });
}
