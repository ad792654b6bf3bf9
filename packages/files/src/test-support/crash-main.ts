import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/**
 * A process that stores two objects of 6 MiB in a folder, and waits until a test kills it. The rename of the first one and
 * the body of the second one never end.
 * Arguments: folder, two keys.
 */
const [folder = "", ...keys] = process.argv.slice(2);
const [renamed = "", unfinished = ""] = keys;

const renaming = new Promise<void>((resolve) => {
  fs.rename = () => {
    resolve();
    return new Promise(() => {});
  };
});
syncBuiltinESMExports();

// Imported after the replacement of `rename`, so that they use it.
const { diskStore } = await import("../disk/disk-store.ts");
const { bodyOf, mebibyte, StalledBody } = await import("./bodies.ts");

const store = diskStore(folder);
const stalled = new StalledBody(6 * mebibyte);
const storing = Promise.all([
  store.put(renamed, bodyOf(6 * mebibyte).body),
  store.put(unfinished, stalled),
]);
await Promise.all([renaming, stalled.drained()]);
process.send?.("there");
await storing;
