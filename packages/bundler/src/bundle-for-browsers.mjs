import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { compressed } from "./compressed.mjs";
import { stylesheetAddresses } from "./stylesheet-addresses.mjs";
import { writeAtomically, writeOutputs } from "./write-outputs.mjs";

/** What is a file of its own; esbuild's `[hash]` is of the content. */
const names = "[name]-[hash]";

/**
 * Bundles an app for browsers: `src/main.tsx` and its styles into `dist/assets`, with a hash of the content in each name
 * and compressed copies (`.br`, `.gz`) beside them, and `src/index.html` with their names into `dist/index.html`.
 * Each dynamically imported module gets its own chunk; the page preloads the chunks that `main.tsx` itself imports.
 * `dist/assets/files.json` lists the build's files; those of the previous build stay for a day, for open tabs.
 * @param {string} app its folder
 * @throws {Error} when a module cannot be compiled or found; the previous build stays
 */
export async function bundleForBrowsers(app) {
  const outdir = join(app, "dist", "assets");
  const stylesheets = stylesheetAddresses(outdir);
  const { outputFiles, metafile } = await build({
    absWorkingDir: app,
    entryPoints: [join("src", "main.tsx")],
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: ["chrome120", "edge120", "firefox121", "safari17.4"],
    conditions: ["source"],
    // Libraries that are written for React use Preact.
    alias: {
      react: "preact/compat",
      "react-dom": "preact/compat",
      "react/jsx-runtime": "preact/jsx-runtime",
    },
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [stylesheets.plugin],
    entryNames: names,
    chunkNames: names,
    assetNames: names,
    loader: { ".woff2": "file", ".svg": "file" },
    charset: "utf8",
    legalComments: "none",
    minify: true,
    metafile: true,
    logLevel: "silent",
  });
  const entry = entryOf(metafile);
  const files = [...outputFiles, ...stylesheets.files];
  writeOutputs(outdir, [...files, ...(await compressed(files))]);
  const page = readFileSync(join(app, "src", "index.html"), "utf8");
  writeAtomically(join(app, "dist", "index.html"), pageWith(page, entry));
}

/**
 * Finds the script of `main.tsx`, its stylesheet, and the chunks that it imports, statically or dynamically.
 * @param {import("esbuild").Metafile} metafile
 */
function entryOf({ outputs }) {
  /** @type {{ script: string, style: string | undefined, chunks: string[] } | undefined} */
  let entry;
  for (const [path, { entryPoint, cssBundle, imports }] of Object.entries(outputs)) {
    if (entryPoint === "src/main.tsx" && path.endsWith(".js")) {
      const chunks = imports.filter(({ external }) => !external);
      entry = { script: path, style: cssBundle, chunks: chunks.map((chunk) => chunk.path) };
      continue;
    }
    // esbuild would leave it out: nothing loads the stylesheet of a chunk.
    if (cssBundle !== undefined)
      throw new Error(
        `${String(entryPoint)} is loaded when needed and imports a stylesheet: import it from main.tsx, or its address with "?url"`,
      );
  }
  if (!entry) throw new Error("src/main.tsx made no script");
  return entry;
}

/**
 * Puts the names of the built files into the page. Its addresses are relative, for a server whose address has a path.
 * @param {string} page
 * @param {{ script: string, style: string | undefined, chunks: readonly string[] }} entry
 */
function pageWith(page, { script, style, chunks }) {
  const address = (/** @type {string} */ path) => `assets/${basename(path)}`;
  const lines = [
    ...(style === undefined ? [] : [`<link rel="stylesheet" href="${address(style)}" />`]),
    ...chunks.map((path) => `<link rel="modulepreload" href="${address(path)}" />`),
    `<script type="module" src="${address(script)}"></script>`,
  ];
  const mark = /<script type="module" src="main\.tsx"><\/script>/;
  if (!mark.test(page)) throw new Error('src/index.html has no <script src="main.tsx">');
  return page.replace(mark, lines.join("\n    "));
}
