#!/usr/bin/env node
import { existsSync } from "node:fs";

// In a clone what has changed is built first, as `npm start` does; an image has nothing to build with.
const scripts = new URL("../../../scripts/lib/", import.meta.url);
if (existsSync(scripts)) {
  const [{ build }, { steps }] = await Promise.all([
    import(new URL("build.mjs", scripts).href),
    import(new URL("run.mjs", scripts).href),
  ]);
  await steps(() => build("@carillon/cli"));
}
await import("../dist/main.js");
