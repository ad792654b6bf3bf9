export { bundle } from "./bundle.mjs";
export { bundleForBrowsers } from "./bundle-for-browsers.mjs";
