import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { StartupError } from "@carillon/kit";
import type { Handler } from "./handler.ts";

/**
 * The default exports of all modules below `directory`, tests left out. Modules without a default export
 * are helpers.
 * @throws StartupError for a default export that is no handler
 */
export async function loadHandlers<Services>(directory: string): Promise<Handler<Services>[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
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
      if (!isHandler<Services>(module.default))
        throw new StartupError(`the default export of ${file} is not a handler`);
      return [module.default];
    }),
  );
  return loaded.flat();
}

function isHandler<Services>(value: unknown): value is Handler<Services> {
  return typeof value === "object" && value !== null && "operation" in value && "run" in value;
}
