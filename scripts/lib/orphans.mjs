import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";

/**
 * Removes built files whose source is gone, from this build or out of its cache: what is found by scanning
 * a folder would otherwise live on.
 */
export function removeOrphans() {
  for (const group of ["packages", "apps"]) {
    for (const name of readdirSync(join(root, group))) {
      const dist = join(root, group, name, "dist");
      if (!existsSync(dist)) continue;
      for (const file of readdirSync(dist, { recursive: true })) {
        const source = /^(.*)\.(js|js\.map|d\.ts)$/.exec(file)?.[1];
        if (source === undefined || existsSync(join(root, group, name, "src", `${source}.ts`)))
          continue;
        rmSync(join(dist, file));
      }
    }
  }
}
