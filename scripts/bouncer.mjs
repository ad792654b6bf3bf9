import { join } from "node:path";
import { build } from "./lib/build.mjs";
import { root } from "./lib/root.mjs";
import { become, steps } from "./lib/run.mjs";

// npm run bouncer -- COMMAND: what the operator of a push bouncer does, in the database of BOUNCER_DATABASE_URL.
await steps(async () => {
  await build("@carillon/bouncer");
  const program = join(root, "apps/bouncer/dist/command-main.js");
  await become(process.execPath, [program, ...process.argv.slice(2)]);
});
