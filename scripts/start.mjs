import { build } from "./lib/build.mjs";
import { steps } from "./lib/run.mjs";

// npm start: installs and builds what is missing, by other programs, and then runs everything.
await steps(() => build());
console.log("Starting …");
// In this very process, so that signals arrive where they are handled, and once.
await import("../apps/standalone/dist/main.js");
