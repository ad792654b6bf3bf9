import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { StartupError } from "./startup-error.ts";

/** A loaded module of a folder. */
interface FoundModule {
  readonly file: string;
  readonly module: { readonly default?: unknown };
}

/**
 * Returns the default exports of all modules below a folder, except tests, in the order of their paths. A default
 * export may be a list. Modules without a default export are helpers.
 * @param folder written as `new URL("./NAME", import.meta.url)`: the build replaces it by a list of the modules
 * @param what the expected kind, for the error: `a handler`
 * @throws StartupError that names the file of any other default export
 */
export async function loadDefaults<Wanted>(
  folder: URL | readonly FoundModule[],
  what: string,
  isWanted: (value: unknown) => value is Wanted,
): Promise<Wanted[]> {
  const modules = folder instanceof URL ? await scan(folder) : folder;
  return modules.flatMap(({ file, module }) => {
    if (module.default === undefined) return [];
    const found: readonly unknown[] = Array.isArray(module.default)
      ? module.default
      : [module.default];
    if (!found.every(isWanted))
      throw new StartupError(`the default export of ${file} is not ${what}`);
    return found;
  });
}

async function scan(folder: URL): Promise<FoundModule[]> {
  const entries = await readdir(fileURLToPath(folder), { recursive: true, withFileTypes: true });
  const files = entries
    .filter(
      (entry) =>
        entry.isFile() && /\.[jt]s$/.test(entry.name) && !/\.(test|d)\.[jt]s$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Promise.all(
    files.map(async (file) => ({ file, module: await import(pathToFileURL(file).href) })),
  );
}
