import { join } from "node:path";
import { build } from "./lib/build.mjs";
import { root } from "./lib/root.mjs";
import { replaceProcess, steps } from "./lib/run.mjs";

// npm run migrate: applies this version's migrations to DATABASE_URL.
await steps(async () => {
  await build("@carillon/standalone");
  await replaceProcess(process.execPath, [join(root, "apps/standalone/dist/migrate-main.js")]);
});
