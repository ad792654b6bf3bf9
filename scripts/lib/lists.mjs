import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { root } from "./root.mjs";

/**
 * The lists of what is declared: where each lies, the folder that it is made from, and what follows the name of an
 * exported constant in a file that belongs into it.
 */
const lists = [
  {
    file: "packages/contract/src/operations.ts",
    folder: "packages/contract/src",
    declares: " = operation\\(",
  },
  {
    file: "packages/contract/src/events/declared.ts",
    folder: "packages/contract/src/events",
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
    folder: "packages/domain/src/register/sections",
    declares: ": (readonly Section\\[\\]|Section) = ",
  },
];

/**
 * Every list as it is to be.
 * @param {string} [top] the repository
 * @returns {Map<string, string>} texts by path from the root
 */
export function wantedLists(top = root) {
  return new Map(lists.map((list) => [list.file, textOf(list, top)]));
}

/** The names of types come along with those of values: what imports the list knows each declaration exactly. */
function textOf({ file, folder, declares }, top) {
  const declaration = new RegExp(`^export const \\w+${declares}`, "m");
  const lines = readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => declaration.test(readFileSync(path, "utf8")))
    .map((path) =>
      relative(join(top, dirname(file)), path)
        .split(sep)
        .join("/"),
    )
    .sort()
    .map((path) => `export * from "./${path}";\n`);
  return `// Generated from the files of this folder by \`npm run generate\`; do not edit.\n${lines.join("")}`;
}
