import { join } from "node:path";
import { build } from "./lib/build.mjs";
import { root } from "./lib/root.mjs";
import { replaceProcess, steps } from "./lib/run.mjs";

// npm run restore -- list | run NUMBER | channel NUMBER: restores removed messages, in the database of DATABASE_URL.
await steps(async () => {
  await build("@carillon/worker");
  const program = join(root, "apps/worker/dist/restore-main.js");
  await replaceProcess(process.execPath, [program, ...process.argv.slice(2)]);
});
