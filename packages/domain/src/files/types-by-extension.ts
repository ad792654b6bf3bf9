// CommonJS: a bundle finds its names only where they are imported statically.
export { lookup } from "mime-types";
