import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib/root.mjs";
import { StepError, capture, steps } from "./lib/run.mjs";

// node scripts/complete-lock.mjs: adds checksums that package-lock.json lacks, from the registry. npm omits the
// checksum of a package for another platform if its registry does not have the package.
await steps(async () => {
  const path = join(root, "package-lock.json");
  const lock = JSON.parse(readFileSync(path, "utf8"));
  const missing = [];
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (!place.includes("node_modules/") || entry.link || entry.integrity) continue;
    const name = `${place.split("node_modules/").at(-1)}@${entry.version}`;
    const { output } = await capture("npm", ["view", name, "dist.integrity", "--loglevel=silent"]);
    const integrity = /^sha512-\S+$/m.exec(output)?.[0];
    if (integrity === undefined) missing.push(name);
    else {
      const { version, ...others } = entry;
      lock.packages[place] = { version, integrity, ...others };
      console.log(name);
    }
  }
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  if (missing.length > 0)
    throw new StepError(`The registry does not have ${missing.join(", ")}: ask another one.`);
});
