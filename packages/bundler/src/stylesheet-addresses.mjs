import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** KaTeX's stylesheet must be of the version that renders formulas, which is the one of this package. */
const renderer = createRequire(new URL("../../markdown/package.json", import.meta.url));

/** Alternatives to WOFF2, which every browser of the targets reads. */
const otherFonts = /,url\([^)]+\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g;

/**
 * Lets a module import the address of a stylesheet that is loaded when needed: `import address from "katex/….css?url"`. The
 * stylesheet is bundled by itself, with its fonts as files.
 * @param {string} outdir output folder of the bundle
 */
export function stylesheetAddresses(outdir) {
  /** @type {import("esbuild").OutputFile[]} */
  const files = [];
  /** @type {import("esbuild").Plugin} */
  const plugin = {
    name: "stylesheet addresses",
    setup(bundling) {
      bundling.onResolve({ filter: /\.css\?url$/ }, ({ path, importer }) => ({
        path: locate(path.slice(0, -"?url".length), importer),
        namespace: "stylesheet",
      }));
      bundling.onLoad({ filter: /.*/, namespace: "stylesheet" }, async ({ path }) => {
        const { outputFiles } = await build({
          entryPoints: [path],
          outdir,
          write: false,
          bundle: true,
          minify: true,
          entryNames: "[name]-[hash]",
          assetNames: "[name]-[hash]",
          loader: { ".woff2": "file" },
          plugins: [onlyWoff2],
          logLevel: "silent",
        });
        files.push(...outputFiles);
        const own = outputFiles.find((file) => file.path.endsWith(".css"));
        const name = JSON.stringify(`./${basename(own?.path ?? "")}`);
        // Chunks and stylesheets are in one folder.
        return { contents: `export default new URL(${name}, import.meta.url).href;` };
      });
    },
  };
  return { plugin, files };
}

/** @type {import("esbuild").Plugin} */
const onlyWoff2 = {
  name: "only WOFF2",
  setup(bundling) {
    bundling.onLoad({ filter: /\/katex\/.*\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(otherFonts, ""),
      loader: "css",
    }));
  },
};

/**
 * Returns the path of a file that a stylesheet names.
 * @param {string} path as imported
 * @param {string} importer
 */
function locate(path, importer) {
  if (path.startsWith(".")) return fileURLToPath(new URL(path, `file://${importer}`));
  return path.startsWith("katex/") ? renderer.resolve(path) : createRequire(importer).resolve(path);
}
