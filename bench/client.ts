import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { type Row, report } from "./lib/report.ts";

// Measures what the client adds to a web page: bundled, minified and compressed.
const resolveDir = fileURLToPath(new URL("..", import.meta.url));
/** Bytes that the client may have when it is compressed. */
const limit = 10_240;

const parts = [
  ["the client: every operation, events, repeats", "@carillon/client"],
  ["verification of webhooks", "@carillon/client/webhooks"],
] as const;

const rows: Row[] = [];
for (const [question, from] of parts) {
  const { outputFiles } = await build({
    stdin: { contents: `export * from "${from}"`, resolveDir },
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions: ["source"],
    minify: true,
    write: false,
  });
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  const gzip = gzipSync(contents).length;
  rows.push({
    question: `bytes of ${question}, compressed by gzip`,
    value: `${gzip} (Brotli ${brotliCompressSync(contents).length}, uncompressed ${contents.length})`,
    target: `at most ${limit}`,
    holds: gzip <= limit,
  });
}
await report("client", rows);
process.exit(0);
