import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/**
 * A process that stores 6 MiB in a folder, and stops where a test kills it: before the rename, or when the body stalls.
 * Arguments: folder, key, `rename` or `body`.
 */
const [folder = "", key = "", place] = process.argv.slice(2);

if (place === "rename") {
  fs.rename = () => {
    process.send?.("there");
    return new Promise(() => {});
  };
  syncBuiltinESMExports();
}

// Imported after the replacement of `rename`, so that they use it.
const { diskStore } = await import("../disk/disk-store.ts");
const { bodyOf, mebibyte, StalledBody } = await import("./bodies.ts");

const body = place === "body" ? new StalledBody(6 * mebibyte) : bodyOf(6 * mebibyte).body;
const storing = diskStore(folder).put(key, body);
if (body instanceof StalledBody) {
  await body.drained();
  process.send?.("there");
}
await storing;
