// This package is JavaScript because it compiles the TypeScript of the others.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { asciiOnly } from "./ascii-only.mjs";
import { ownSources } from "./own-sources.mjs";
import { partsOf } from "./parts.mjs";
import { plainAssertions } from "./plain-assertions.mjs";
import { writeOutputs } from "./write-outputs.mjs";

/** External modules: they read files beside themselves, or few processes load them. */
const externalModules = ["@prisma/client/runtime/query_compiler*", "libsodium-wrappers"];

/** The globals that CommonJS modules expect. */
const commonJs = `import { createRequire as makeRequire } from "node:module";
const require = makeRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`;

/**
 * Bundles an app with its imports into a few files, which load in a third of the time: `dist/NAME.js` for each
 * `src/NAME.ts` whose name ends with `main`, and chunks for shared and dynamically imported modules.
 * @param {string} app its folder
 * @throws {Error} when a module cannot be compiled or found; the previous build stays
 */
export async function bundle(app) {
  const outdir = join(app, "dist");
  const { outputFiles, metafile } = await build({
    absWorkingDir: app,
    entryPoints: [...mainsOf(app), ...partsOf(app)],
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["source"],
    external: externalModules,
    plugins: [ownSources(outdir), asciiOnly, plainAssertions],
    // Beside the entries, so that paths relative to a module are the same everywhere.
    chunkNames: "[name]-[hash]",
    banner: { js: commonJs },
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    // V8 keeps the text in memory; a third of it is white space and comments.
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    logLevel: "silent",
  });
  refuseCommonJsImports(metafile);
  writeOutputs(outdir, outputFiles);
}

/**
 * Refuses our modules' dynamic imports of CommonJS packages: in a bundle they have no named exports, and `const { Pool } =
 * await import(…)` would be undefined at its first use.
 * @param {import("esbuild").Metafile} metafile
 */
function refuseCommonJsImports({ inputs, outputs }) {
  const imported = Object.entries(inputs)
    .filter(([importer]) => !importer.includes("node_modules/"))
    .flatMap(([, { imports }]) => imports)
    .filter(({ kind, path }) => kind === "dynamic-import" && path.includes("node_modules/"))
    .map(({ path }) => path);
  const ofOurs = new Set(imported);
  for (const { entryPoint, exports } of Object.values(outputs)) {
    if (!entryPoint || !ofOurs.has(entryPoint) || exports.join() !== "default") continue;
    const name = entryPoint.replace(/^.*node_modules\//, "");
    throw new Error(
      `${name} is CommonJS and has no named exports for import() in a bundle: re-export the names from one of our modules and import that module`,
    );
  }
}

/**
 * Lists the entry points of an app: files of `src` whose names end with `main.ts`.
 * @param {string} app its folder
 */
function mainsOf(app) {
  return readdirSync(join(app, "src"))
    .filter((name) => /(^|-)main\.ts$/.test(name))
    .map((name) => ({ in: join("src", name), out: name.replace(/\.ts$/, "") }));
}
