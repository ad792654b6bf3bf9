#!/usr/bin/env node
import { existsSync } from "node:fs";

// In a clone, builds what has changed first, as `npm start` does. An image has no build scripts.
const scripts = new URL("../../../scripts/lib/", import.meta.url);
if (existsSync(scripts)) {
  const [{ build }, { steps }] = await Promise.all([
    import(new URL("build.mjs", scripts).href),
    import(new URL("run.mjs", scripts).href),
  ]);
  await steps(() => build("@carillon/cli"));
}
await import("../dist/main.js");
