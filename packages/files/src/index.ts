export * from "./choose.ts";
export * from "./store.ts";
export { newObjectKey, newObjectKeys } from "./object-key.ts";
export * from "./reading.ts";
export * from "./watch-store.ts";
