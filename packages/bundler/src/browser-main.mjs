import { bundleForBrowsers } from "./bundle-for-browsers.mjs";

// node ../../packages/bundler/src/browser-main.mjs: bundles the app in the current folder for browsers.
await bundleForBrowsers(process.cwd());
