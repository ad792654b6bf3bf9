import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { declaredStatements, type DeclaredStatement } from "@carillon/db";

import { readFiles } from "../boundaries/source-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Imports every file that declares statements, and returns all declared statements. */
export async function everyStatement(): Promise<ReadonlyArray<DeclaredStatement<unknown>>> {
  const sources = await readFiles(["packages", "apps"], /(?<!\.test)\.ts$/);
  const declaring = sources.filter(({ text }) => /\b(?:statement|composed)\(/.test(text));
  for (const { path } of declaring) await import(pathToFileURL(join(root, path)).href);
  return declaredStatements();
}
