// A module of ours, imported when it is needed: a bundle knows of a package of CommonJS no names.
export { Pool } from "undici";
