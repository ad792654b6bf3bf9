import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wantedLists } from "./lib/lists.mjs";
import { root } from "./lib/root.mjs";
import { StepError, steps } from "./lib/run.mjs";

// Writes the lists of what is declared; with --check, says whether they are as they would be written.
const checkOnly = process.argv.includes("--check");

await steps(() => {
  const stale = [...wantedLists()].filter(([file, text]) => text !== present(join(root, file)));
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
