// JavaScript, because it makes of TypeScript what runs.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { asciiPatterns } from "./ascii-patterns.mjs";
import { ownSources } from "./own-sources.mjs";
import { partsOf } from "./parts.mjs";
import { writeOutputs } from "./write-outputs.mjs";

/** What stays in node_modules: it reads files beside itself, or few processes ever load it. */
const outside = ["@prisma/client/runtime/query_compiler*", "libsodium-wrappers"];

/** What modules of CommonJS find when they run. */
const commonJs = `import { createRequire as makeRequire } from "node:module";
const require = makeRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`;

/**
 * Makes of an app and all that it imports few files, which load in a third of the time: `dist/NAME.js` of each
 * `src/NAME.ts` whose name ends with `main`, and chunks, for what several of them share and for what is imported when it
 * is needed.
 * @param {string} app its folder
 * @throws {Error} when something cannot be compiled or found; what was built before is as it was
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
    external: outside,
    plugins: [ownSources(outdir), asciiPatterns],
    // Beside the entries: paths that are relative to a module are the same everywhere.
    chunkNames: "[name]-[hash]",
    banner: { js: commonJs },
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    // The text stays in memory for as long as the process: a third of it is white space and comments.
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    logLevel: "silent",
  });
  refuseNameless(metafile);
  writeOutputs(outdir, outputFiles);
}

/**
 * A package of CommonJS that is imported when it is needed has no names in a bundle: `const { Pool } = await import(…)`
 * would be undefined, at the first use and not before.
 * @param {import("esbuild").Metafile} metafile
 */
function refuseNameless({ outputs }) {
  for (const { entryPoint, exports } of Object.values(outputs)) {
    if (!entryPoint?.includes("node_modules/") || exports.join() !== "default") continue;
    const name = entryPoint.replace(/^.*node_modules\//, "");
    throw new Error(
      `${name} is CommonJS, of which import() knows no names in a bundle: export those that are wanted from a module of ours, and import that`,
    );
  }
}

/** @param {string} app */
function mainsOf(app) {
  return readdirSync(join(app, "src"))
    .filter((name) => /(^|-)main\.ts$/.test(name))
    .map((name) => ({ in: join("src", name), out: name.replace(/\.ts$/, "") }));
}
