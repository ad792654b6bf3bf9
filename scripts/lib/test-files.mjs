import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

const folders = ["packages", "apps", ...["boundaries", "contract", "e2e", "faults"].map(inTest)];
/** Tests that start processes: they take long, and mostly wait. */
const startsProcesses =
  /\b(spawn|useProcesses|onBothBackends|startApp|startOwnPostgres|startEmbeddedPostgres)\(/;

/** Part of the others that is run until the last file that mostly waits begins. */
const spreadOver = 0.8;

/**
 * Lists the files of all suites. Those that mostly wait are spread among the others, so that the processors are busy from
 * the beginning, but for the end, so that none of them runs there alone. The largest come first, because large files tend
 * to take long: short ones fill the gaps at the end.
 * @returns {string[]} paths from the root of the repository
 */
export function testFiles() {
  const files = largestFirst(folders.flatMap(testsIn));
  const waiting = files.filter((file) =>
    startsProcesses.test(readFileSync(join(root, file), "utf8")),
  );
  const computing = files.filter((file) => !waiting.includes(file));
  const between = Math.floor((spreadOver * computing.length) / Math.max(1, waiting.length));
  const spread = waiting.flatMap((file) => [file, ...computing.splice(0, between)]);
  return [...spread, ...computing];
}

function largestFirst(files) {
  const sized = files.map((file) => ({ file, size: statSync(join(root, file)).size }));
  return sized
    .toSorted((a, b) => b.size - a.size || a.file.localeCompare(b.file))
    .map(({ file }) => file);
}

function testsIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes("node_modules"))
    .map((path) => path.slice(root.length).replace(/^\//, ""));
}

function inTest(name) {
  return `test/${name}`;
}
