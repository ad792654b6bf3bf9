import { resolve } from "node:path";
import { shipTo } from "./lib/image.mjs";
import { StepError, steps } from "./lib/run.mjs";

// node scripts/image.mjs FOLDER: everything that the processes of a container need, in an empty folder.
await steps(() => {
  const folder = process.argv[2];
  if (!folder) throw new StepError("Say where to: node scripts/image.mjs FOLDER");
  shipTo(resolve(folder));
});
