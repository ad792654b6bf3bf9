import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wantedChecksums } from "./lib/checksums.mjs";
import { wantedLists } from "./lib/lists.mjs";
import { root } from "./lib/root.mjs";
import { StepError, steps } from "./lib/run.mjs";

// Writes the lists of what is declared, and of the migrations' texts; with --check, says whether they are as they would be written.
const checkOnly = process.argv.includes("--check");

await steps(() => {
  const wanted = [...wantedLists(), ...wantedChecksums()];
  const stale = wanted.filter(([file, text]) => text !== present(join(root, file)));
  if (!checkOnly) {
    for (const [file, text] of stale) writeFileSync(join(root, file), text);
  } else if (stale.length > 0) {
    const files = stale.map(([file]) => file).join(", ");
    throw new StepError(`Not as the files of their folders say: ${files}. Run npm run generate.`);
  }
});

function present(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
