import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { escapeNonAscii } from "./ascii-only.mjs";

const here = "import.meta.url";
const folderBeside = /new URL\("(\.\/[\w-]+)", import\.meta\.url\)/g;

/**
 * Keeps two properties of our modules in a bundle: `import.meta.url` is the path that the module would have if compiled by
 * itself (`packages/db/dist/pool.js`), and a folder that is scanned at the start (`loadDefaults` of `kit`) becomes a list
 * of its modules.
 * @param {string} outdir output folder of the bundle
 * @returns {import("esbuild").Plugin}
 */
export function ownSources(outdir) {
  return {
    name: "own sources",
    setup(build) {
      build.onLoad({ filter: /\/(packages|apps)\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!text.includes(here)) return undefined;
        return { contents: escapeNonAscii(rewritten(text, path, outdir)), loader: "ts" };
      });
      build.onResolve({ filter: /^scanned:/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, path.slice("scanned:".length)),
        namespace: "scanned",
      }));
      build.onLoad({ filter: /.*/, namespace: "scanned" }, ({ path }) => ({
        contents: listOfModules(path),
        resolveDir: path,
        watchDirs: [path],
      }));
    },
  };
}

/**
 * Rewrites a module. Imports are added to its first line, so that line numbers stay.
 * @param {string} text
 * @param {string} path
 * @param {string} outdir
 */
function rewritten(text, path, outdir) {
  /** @type {string[]} */
  const imports = [];
  const withLists = text.replaceAll(folderBeside, (whole, /** @type {string} */ folder) => {
    if (!existsSync(join(dirname(path), folder))) return whole;
    imports.push(`import scanned${imports.length} from "scanned:${folder}"; `);
    return `scanned${imports.length - 1}`;
  });
  const compiled = path.replace(/\/src\/(.*)\.ts$/, "/dist/$1.js");
  const place = JSON.stringify(relative(outdir, compiled));
  return imports.join("") + withLists.replaceAll(here, `new URL(${place}, ${here}).href`);
}

/**
 * Lists the modules below a folder, without tests, sorted by path.
 * @param {string} folder
 */
function listOfModules(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .toSorted();
  const imports = files.map((file, at) => `import * as module${at} from "./${file}";\n`);
  const entries = files.map((file, at) => `{ file: ${JSON.stringify(file)}, module: module${at} }`);
  return `${imports.join("")}export default [${entries.join(", ")}];\n`;
}
