import type { Readable } from "node:stream";

import { TransferError } from "../transfer-error.ts";

/** Files of another program's export, wherever they are. */
export interface SourceArchive {
  /** Names of all files: paths with slashes, below the archive's root. */
  readonly names: readonly string[];
  /** Returns the size of a file in bytes; undefined if there is no such file. */
  size(name: string): number | undefined;
  /** @throws TransferError when the file cannot be read */
  open(name: string): Promise<Readable>;
  close(): Promise<void>;
}

/** Files that an archive may have. */
export const maxEntries = 2_000_000;

/** Bytes that any archive may unpack to, and how many times its own size a larger one may. */
const smallArchive = 16 * 1024 * 1024;
const maxRatio = 250;

/** Returns how many bytes an archive of a size may unpack to. JSON of real exports is 5 to 30 times its size. */
export function unpackedLimit(archiveBytes: number): number {
  return smallArchive + archiveBytes * maxRatio;
}

/**
 * Checks the name of a file in an archive, and that no other file has it.
 * @throws TransferError for a name that leads out of the folder in which it is unpacked
 */
export function checkEntryName(
  archive: string,
  name: string,
  seen: ReadonlyMap<string, unknown>,
): void {
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw new TransferError(
      archive,
      undefined,
      `has a file named ${JSON.stringify(name)}, which ${problem}`,
    );
  if (seen.has(name))
    throw new TransferError(archive, undefined, `has two files named ${JSON.stringify(name)}`);
  if (seen.size >= maxEntries)
    throw new TransferError(archive, undefined, `has more than ${maxEntries} files`);
}

function nameProblem(name: string): string | undefined {
  if (name === "" || name.length > 1000) return "is empty or too long";
  if (/^(?:\/|[A-Za-z]:)|\\/.test(name)) return "is not a relative path";
  if (name.split("/").some((part) => part === "" || part === "." || part === ".."))
    return "leads to another folder";
  // eslint-disable-next-line no-control-regex -- such names cannot be shown or stored
  if (/[\u0000-\u001f\u007f]/.test(name)) return "has control characters";
  return undefined;
}
