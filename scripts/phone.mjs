import { join } from "node:path";
import { prepare } from "./lib/build.mjs";
import { root } from "./lib/root.mjs";
import { replaceProcess, steps } from "./lib/run.mjs";

// npm run phone -- …: a terminal phone, which registers for push and prints its notifications.
await steps(async () => {
  await prepare();
  const program = join(root, "test/phone/main.ts");
  const tsx = ["--conditions=source", "--import=tsx"];
  await replaceProcess(process.execPath, [...tsx, program, ...process.argv.slice(2)]);
});
