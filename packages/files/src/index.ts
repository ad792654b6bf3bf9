export * from "./choose.ts";
export * from "./store.ts";
export { newObjectKey } from "./object-key.ts";
