import { bundle } from "./bundle.mjs";

// node ../../packages/bundler/src/main.mjs: bundles the app whose folder this is run in.
await bundle(process.cwd());
