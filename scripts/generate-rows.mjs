import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib/root.mjs";
import { replaceProcess, steps } from "./lib/run.mjs";
import { withServices } from "./lib/services.mjs";

// Writes the types of SQL rows: an embedded PostgreSQL describes every declared statement.
const fromSources = ["--import=tsx", "--conditions=source"];

await steps(async () => {
  if (!process.execArgv.includes("--conditions=source")) {
    await replaceProcess(
      ...withServices("test", [process.execPath, ...fromSources, ...process.argv.slice(1)]),
    );
  }
  const { describedRows } = await import("../test/contract/statement-rows.ts");
  const { presentRowsFiles } = await import("../packages/testkit/src/index.ts");
  const wanted = await describedRows();
  const stale = [...wanted].filter(([file, text]) => present(join(root, file)) !== text);
  const orphans = presentRowsFiles().filter((file) => !wanted.has(file));
  for (const [file, text] of stale) writeFileSync(join(root, file), text);
  for (const file of orphans) rmSync(join(root, file));
  console.log(
    `${stale.length} written, ${orphans.length} removed, ${wanted.size} files of rows in all`,
  );
});

function present(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
