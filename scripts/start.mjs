import { build } from "./lib/build.mjs";
import { steps } from "./lib/run.mjs";

// npm start: installs and builds what is missing, in other processes, then runs everything.
await steps(() => build());
console.log("Starting …");
// In this process, so that signals arrive once.
await import("../apps/standalone/dist/main.js");
