import { build } from "./lib/build.mjs";
import { steps } from "./lib/run.mjs";

await steps(() => build());
