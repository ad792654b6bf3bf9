import { join } from "node:path";
import { build } from "./lib/build.mjs";
import { root } from "./lib/root.mjs";
import { replaceProcess, steps } from "./lib/run.mjs";

// npm run bouncer -- COMMAND: operator commands of a push bouncer, on BOUNCER_DATABASE_URL.
await steps(async () => {
  await build("@carillon/bouncer");
  const program = join(root, "apps/bouncer/dist/command-main.js");
  await replaceProcess(process.execPath, [program, ...process.argv.slice(2)]);
});
