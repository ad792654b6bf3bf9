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

/** A process that was started before loads chunks of its own build when it needs them. */
const keptForMs = 24 * 60 * 60 * 1_000;
/** The names of all that a build has made, beside it. */
const list = "files.json";
const isChunk = /-[A-Z0-9]{8}\.js(\.map)?$/;

/**
 * Puts a bundle into its folder: chunks first, then the entries, each whole or not at all. Chunks of another build stay
 * for a day after the build that came in its place, however old they are.
 * @param {string} folder
 * @param {readonly { path: string, contents: Uint8Array }[]} files
 */
export function writeOutputs(folder, files) {
  mkdirSync(folder, { recursive: true });
  const before = builtBefore(folder);
  const isEntry = (/** @type {string} */ path) => path.endsWith("main.js");
  const inOrder = files.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
  for (const { path, contents } of inOrder) put(path, contents);
  const own = new Set([list, ...files.map(({ path }) => basename(path))]);
  put(join(folder, list), JSON.stringify([...own]));
  const now = new Date();
  for (const name of readdirSync(folder)) {
    if (own.has(name)) continue;
    const path = join(folder, name);
    // From now on it is of another build.
    if (isChunk.test(name) && before(name)) utimesSync(path, now, now);
    if (!isChunk.test(name) || now.getTime() - statSync(path).mtimeMs > keptForMs)
      rmSync(path, { recursive: true, force: true });
  }
}

/**
 * @param {string} path
 * @param {string | Uint8Array} contents
 */
function put(path, contents) {
  const half = `${path}.${process.pid}.half`;
  writeFileSync(half, contents);
  renameSync(half, path);
}

/**
 * Whether the build that the folder has is the one that a file is of; all are where it has not noted that.
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
