import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const here = "import.meta.url";
const folderBeside = /new URL\("(\.\/[\w-]+)", import\.meta\.url\)/g;

/**
 * Keeps two things true of our own modules in a bundle: `import.meta.url` is where the module would lie if each were
 * compiled by itself (`packages/db/dist/pool.js`), and a folder of modules that is scanned at the start is a list of
 * these modules (`loadDefaults` of `kit`).
 * @param {string} outdir where all of the bundle lies
 * @returns {import("esbuild").Plugin}
 */
export function ownSources(outdir) {
  return {
    name: "own sources",
    setup(build) {
      build.onLoad({ filter: /\/(packages|apps)\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!text.includes(here)) return undefined;
        return { contents: rewritten(text, path, outdir), loader: "ts" };
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
 * On the first line, so that all others keep their numbers.
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
 * The modules below a folder, tests left out, in the order of their paths.
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
