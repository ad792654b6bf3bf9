import { build } from "./lib/build.mjs";
import { steps } from "./lib/run.mjs";

await steps(() => build());
// In this very process, so that signals arrive where they are handled, and once.
await import("../apps/standalone/dist/main.js");
