import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FileStore, fileStoreFromEnvironment } from "@carillon/files";
import { readEnvironment } from "@carillon/kit";

let shared: FileStore | undefined;

/** The file store of this process's tests: a temporary folder, removed when the process ends. */
export function testFiles(): FileStore {
  if (shared) return shared;
  const folder = mkdtempSync(join(tmpdir(), "carillon-files-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  shared = fileStoreFromEnvironment(readEnvironment({ FILES_DIR: folder }));
  return shared;
}
