import { bundle } from "./bundle.mjs";

// node ../../packages/bundler/src/main.mjs: bundles the app in the current folder.
await bundle(process.cwd());
