import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wantedChecksums } from "./lib/checksums.mjs";
import { root } from "./lib/root.mjs";
import { StepError, steps } from "./lib/run.mjs";

// Writes the checksums of the migrations; with --check, fails when they are stale.
const checkOnly = process.argv.includes("--check");

await steps(() => {
  const stale = [...wantedChecksums()].filter(([file, text]) => text !== present(join(root, file)));
  if (!checkOnly) {
    for (const [file, text] of stale) writeFileSync(join(root, file), text);
  } else if (stale.length > 0) {
    const files = stale.map(([file]) => file).join(", ");
    throw new StepError(`Stale: ${files}. Run npm run generate.`);
  }
});

function present(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
