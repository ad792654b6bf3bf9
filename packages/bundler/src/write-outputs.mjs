import {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";

/** Running processes of the previous build still load its chunks. */
const keptForMs = 24 * 60 * 60 * 1_000;
/** The file that lists a build's files. */
const list = "files.json";
const isChunk = /-[A-Z0-9]{8}\.(js|css|woff2|svg)(\.map|\.br|\.gz)?$/;

/**
 * Writes a bundle into its folder, atomically file by file: chunks first, then entries. Chunks of the previous build stay
 * for a day after they are replaced.
 * @param {string} folder
 * @param {readonly { path: string, contents: Uint8Array }[]} files
 */
export function writeOutputs(folder, files) {
  mkdirSync(folder, { recursive: true });
  const before = builtBefore(folder);
  const isEntry = (/** @type {string} */ path) => path.endsWith("main.js");
  const inOrder = files.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
  for (const { path, contents } of inOrder) writeAtomically(path, contents);
  const own = new Set([list, ...files.map(({ path }) => basename(path))]);
  writeAtomically(join(folder, list), JSON.stringify([...own]));
  const now = new Date();
  for (const name of readdirSync(folder)) {
    if (own.has(name)) continue;
    const path = join(folder, name);
    // From now on a replaced chunk stays for a day.
    if (isChunk.test(name) && before(name)) utimesSync(path, now, now);
    if (!isChunk.test(name) || now.getTime() - statSync(path).mtimeMs > keptForMs)
      rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Writes a file so that readers see the old one or the new one.
 * @param {string} path
 * @param {string | Uint8Array} contents
 */
export function writeAtomically(path, contents) {
  const temporary = `${path}.${process.pid}.temporary`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

/**
 * Returns whether a file belongs to the folder's previous build; true for all files if that build has no list.
 * @param {string} folder
 * @returns {(name: string) => boolean}
 */
function builtBefore(folder) {
  try {
    const names = new Set(JSON.parse(readFileSync(join(folder, list), "utf8")));
    return (name) => names.has(name);
  } catch {
    return () => true;
  }
}
