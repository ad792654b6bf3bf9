import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { root } from "./root.mjs";

/**
 * The lists of declarations. `file` re-exports every file below `folder` that exports a constant whose name is followed
 * by `declares`; without `declares`, every file directly in `folder`. Git ignores the lists: every build, run and check
 * writes them first.
 */
const lists = [
  {
    file: "packages/contract/src/operations/declared.ts",
    folder: "packages/contract/src/operations",
    declares: " = operation\\(",
  },
  {
    file: "packages/contract/src/events/declared.ts",
    folder: "packages/contract/src",
    declares: " = event\\(",
  },
  {
    file: "packages/jobs/src/definitions/declared.ts",
    folder: "packages/jobs/src/definitions",
    declares: " = (job|intentJob)\\(",
  },
  {
    file: "packages/jobs/src/recurring/declared.ts",
    folder: "packages/jobs/src/recurring",
    declares: " = recurring\\(",
  },
  {
    file: "packages/domain/src/register/sections/declared.ts",
    folder: "packages/domain/src",
    declares: ": (readonly Section\\[\\]|Section) = ",
  },
  { file: "packages/domain/src/declared.ts", folder: "packages/domain/src" },
];

/**
 * Writes the lists that are missing or stale. The others keep their times, which the build compares.
 */
export function writeLists() {
  for (const [file, text] of wantedLists()) {
    const path = join(root, file);
    if (existsSync(path) && readFileSync(path, "utf8") === text) continue;
    // Another process may be reading it.
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  }
}

/**
 * Makes the text of every list whose folder is there; the compiler reports a folder that is missing.
 * @param {string} [top] the repository
 * @returns {Map<string, string>} texts by path from the root
 */
export function wantedLists(top = root) {
  const present = lists.filter(({ folder }) => existsSync(join(top, folder)));
  return new Map(present.map((list) => [list.file, textOf(list, top)]));
}

/** Re-exports whole files: types come along, so that importers of the list know each declaration exactly. */
function textOf({ file, folder, declares }, top) {
  const declaration = new RegExp(declares ? `^export const \\w+${declares}` : "^export ", "m");
  const lines = readdirSync(join(top, folder), {
    recursive: declares !== undefined,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .filter((entry) => entry.name !== "index.ts" && entry.name !== "declared.ts")
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => declaration.test(readFileSync(path, "utf8")))
    .map((path) =>
      relative(join(top, dirname(file)), path)
        .split(sep)
        .join("/"),
    )
    .map((path) => (path.startsWith(".") ? path : `./${path}`))
    .sort()
    .map((path) => `export * from "${path}";\n`);
  return `// Generated from the declarations; do not edit.\n${lines.join("")}`;
}
