import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./lib/root.mjs";
import { replaceProcess, StepError, steps } from "./lib/run.mjs";

// Writes docs/api/, docs/jobs.md, docs/metrics.md and the generated files of packages/client from the declarations; with
// --check, fails if they are stale.
const generated = join("packages", "client", "src", "generated");
const checkOnly = process.argv.includes("--check");
// The declarations are read from the sources, so that pages never show an older build.
const fromSources = ["--import", "tsx", "--conditions=source"];

await steps(async () => {
  if (!process.execArgv.includes("--conditions=source")) {
    await replaceProcess(process.execPath, [...fromSources, ...process.argv.slice(1)]);
  }
  const pages = await wanted();
  const written = await present();
  const stale = [...pages]
    .filter(([file, text]) => written.get(file) !== text)
    .map(([file]) => file);
  const orphans = [...written.keys()].filter((file) => !pages.has(file));
  if (checkOnly) {
    if (stale.length + orphans.length === 0) return;
    throw new StepError(`Stale: ${[...stale, ...orphans].join(", ")}. Run npm run generate.`);
  }
  for (const folder of [join("docs", "api"), generated])
    await mkdir(join(root, folder), { recursive: true });
  for (const file of stale) await writeFile(join(root, file), pages.get(file));
  for (const file of orphans) await rm(join(root, file));
  console.log(`${stale.length} written, ${orphans.length} removed, ${pages.size} pages in all`);
});

/**
 * Makes the generated files from the declarations.
 * @returns {Promise<Map<string, string>>} texts by path from the root
 */
async function wanted() {
  const { allOperations, apiReference, eventReference } =
    await import("../packages/contract/src/index.ts");
  const { clientApi } = await import("../packages/contract/src/client-api/client-api.ts");
  const { jobsReference } = await import("../packages/jobs/src/index.ts");
  const { metricsReference } = await import("../packages/kit/src/index.ts");
  const pages = [...apiReference(allOperations)].map(([name, text]) => [
    join("docs", "api", name),
    text,
  ]);
  const client = [...clientApi(allOperations)].map(([name, text]) => [join(generated, name), text]);
  return new Map([
    ...pages,
    ...client,
    [join("docs", "api", "event-types.md"), eventReference()],
    [join("docs", "jobs.md"), jobsReference()],
    [join("docs", "metrics.md"), metricsReference()],
  ]);
}

/** Reads the existing generated files. */
async function present() {
  const names = await readdir(join(root, "docs", "api")).catch(() => []);
  const clientFiles = await readdir(join(root, generated)).catch(() => []);
  const files = [
    ...names.map((name) => join("docs", "api", name)),
    ...clientFiles.map((name) => join(generated, name)),
    join("docs", "jobs.md"),
    join("docs", "metrics.md"),
  ];
  const texts = await Promise.all(
    files.map(async (file) => [
      file,
      await readFile(join(root, file), "utf8").catch(() => undefined),
    ]),
  );
  return new Map(texts.filter(([, text]) => text !== undefined));
}
