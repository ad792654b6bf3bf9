import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

const folders = ["packages", "apps", ...["boundaries", "contract", "e2e", "faults"].map(inTest)];
/** Tests that start processes take long and mostly wait. */
const startsProcesses =
  /\b(spawn|useProcesses|onBothBackends|startApp|startOwnPostgres|startEmbeddedPostgres)\(/;

/**
 * Lists the files of all suites, slow ones first, so that none runs alone at the end.
 * @returns {string[]} paths from the root of the repository
 */
export function testFiles() {
  const files = folders.flatMap(testsIn).toSorted();
  const slow = files.filter((file) => startsProcesses.test(readFileSync(join(root, file), "utf8")));
  return [...slow, ...files.filter((file) => !slow.includes(file))];
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
