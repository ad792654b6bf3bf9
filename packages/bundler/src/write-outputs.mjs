import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A process that was started before loads chunks of its own build when it needs them. */
const keptForMs = 24 * 60 * 60 * 1_000;

/**
 * Puts a bundle into its folder: chunks first, then the entries, each whole or not at all. Chunks of another build stay
 * for a day.
 * @param {string} folder
 * @param {readonly { path: string, contents: Uint8Array }[]} files
 */
export function writeOutputs(folder, files) {
  mkdirSync(folder, { recursive: true });
  const isEntry = (/** @type {string} */ path) => path.endsWith("main.js");
  const inOrder = files.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
  for (const { path, contents } of inOrder) {
    const half = `${path}.${process.pid}.half`;
    writeFileSync(half, contents);
    renameSync(half, path);
  }
  const own = new Set(files.map(({ path }) => basename(path)));
  const isChunk = /-[A-Z0-9]{8}\.js(\.map)?$/;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (own.has(name) || (isChunk.test(name) && isYoung(path))) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

/** @param {string} path */
function isYoung(path) {
  return Date.now() - statSync(path).mtimeMs < keptForMs;
}
