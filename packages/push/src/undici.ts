// A module of ours, because a bundle's import() of a CommonJS package has no named exports.
export { Pool } from "undici";
