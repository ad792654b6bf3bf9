import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./lib/build.mjs";
import { root } from "./lib/root.mjs";
import { StepError, runAttached, steps } from "./lib/run.mjs";
import { withServices } from "./lib/services.mjs";

// npm run bench: every bench/NAME.ts; npm run bench -- NAME [ARGUMENT …]: one of them.
const folder = join(root, "bench");

await steps(async () => {
  const all = readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -3))
    .sort();
  const [name, ...args] = process.argv.slice(2);
  if (name !== undefined && !existsSync(join(folder, `${name}.ts`))) {
    throw new StepError(`There is no bench/${name}.ts; there are: ${all.join(", ") || "none"}.`);
  }
  await build();
  let worst = 0;
  for (const bench of name === undefined ? all : [name]) {
    const script = join(folder, `${bench}.ts`);
    const command = [process.execPath, "--conditions=source", "--import=tsx", script, ...args];
    // Fresh servers for each bench, so that none inherits tables.
    worst = Math.max(worst, await runAttached(...withServices("bench", command)));
  }
  process.exit(worst);
});
