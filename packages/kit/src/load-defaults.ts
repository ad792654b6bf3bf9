import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { StartupError } from "./environment.ts";

/**
 * The default exports of all modules below a folder, tests left out, in the order of their paths. Modules without a
 * default export are helpers.
 * @param what they are, for the error: `a handler`
 * @throws StartupError for another default export, which it names by its file
 */
export async function loadDefaults<Wanted>(
  folder: URL,
  what: string,
  isWanted: (value: unknown) => value is Wanted,
): Promise<Wanted[]> {
  const entries = await readdir(fileURLToPath(folder), { recursive: true, withFileTypes: true });
  const files = entries
    .filter(
      (entry) =>
        entry.isFile() && /\.[jt]s$/.test(entry.name) && !/\.(test|d)\.[jt]s$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const loaded = await Promise.all(
    files.map(async (file) => {
      const module: { default?: unknown } = await import(pathToFileURL(file).href);
      if (module.default === undefined) return [];
      if (!isWanted(module.default))
        throw new StartupError(`the default export of ${file} is not ${what}`);
      return [module.default];
    }),
  );
  return loaded.flat();
}
