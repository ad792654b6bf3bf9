import { readFileSync } from "node:fs";
import { join } from "node:path";

const ours = "@carillon/";
/** Packages of ours that are large, or bring much of others along. */
const large = new Set(["contract", "queue", "model", "markdown", "domain"]);

/**
 * Entries beside those of an app that nobody starts: what is reached from them comes into chunks of its own. V8 takes four
 * bytes for each character of a file while it reads it, and the allocator keeps half of that for ever: a gateway has 9 MB
 * less in parts than in one.
 * @param {string} app its folder
 * @returns {{ in: string, out: string }[]}
 */
export function partsOf(app) {
  const found = new Set(dependencies(app));
  for (const name of found)
    for (const other of dependencies(join(app, "../../packages", name))) found.add(other);
  return [...found]
    .filter((name) => large.has(name))
    .map((name) => ({ in: `../../packages/${name}/src/index.ts`, out: `part-${name}` }));
}

/**
 * Packages of ours that an app or a package imports, without what they all begin with.
 * @param {string} folder
 */
function dependencies(folder) {
  /** @type {{ dependencies?: Record<string, string> }} */
  const { dependencies: all = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.keys(all).flatMap((name) =>
    name.startsWith(ours) ? [name.slice(ours.length)] : [],
  );
}
