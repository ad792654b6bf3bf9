export { bundle } from "./bundle.mjs";
