import { resolve } from "node:path";
import { shipTo } from "./lib/image.mjs";
import { StepError, steps } from "./lib/run.mjs";

// node scripts/image.mjs FOLDER: copies everything that a container's processes need into an empty folder.
await steps(() => {
  const folder = process.argv[2];
  if (!folder) throw new StepError("Usage: node scripts/image.mjs FOLDER");
  shipTo(resolve(folder));
});
