import { constants } from "node:fs";
import { open, opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

import { TransferError } from "../transfer-error.ts";
import { checkEntryName, type SourceArchive } from "./source-archive.ts";

/**
 * Opens a folder with the files of an export. Symbolic links and special files are ignored.
 * @throws TransferError
 */
export async function openFolder(folder: string): Promise<SourceArchive> {
  const sizes = new Map<string, number>();
  const walk = async (below: string): Promise<void> => {
    for await (const found of await opendir(join(folder, below))) {
      const name = below === "" ? found.name : `${below}/${found.name}`;
      if (found.isDirectory()) await walk(name);
      if (!found.isFile()) continue;
      checkEntryName(folder, name, sizes);
      sizes.set(name, (await stat(join(folder, name))).size);
    }
  };
  await walk("");
  return {
    names: [...sizes.keys()],
    size: (name) => sizes.get(name),
    async open(name): Promise<Readable> {
      if (!sizes.has(name)) throw new TransferError(folder, undefined, `has no file ${name}`);
      try {
        const handle = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW);
        return handle.createReadStream({ highWaterMark: 256 * 1024 });
      } catch (error) {
        throw new TransferError(
          name,
          undefined,
          `cannot be read (${(error as NodeJS.ErrnoException).code})`,
        );
      }
    },
    async close() {},
  };
}
