import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { declaredStatements, type NamedStatement } from "@carillon/db";

import { readProductionFiles } from "../boundaries/source-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A statement, and the folder of the package or app that declares it. */
export interface FoundStatement {
  readonly statement: NamedStatement;
  readonly workspace: string;
}

/** Loads every file that declares statements, and returns each text of each statement. */
export async function everyStatement(): Promise<readonly FoundStatement[]> {
  const sources = await readProductionFiles(["packages", "apps"]);
  const declaring = sources.filter(({ text }) => /\b(?:statement|composed)\(/.test(text));
  for (const { path } of declaring) await import(pathToFileURL(join(root, path)).href);
  return declaredStatements().flatMap((statement) => {
    const source =
      declaring.find(({ text }) => isNamedIn(text, statement.name)) ??
      declaring.find(({ text }) => text.includes(`"${statement.name}"`));
    // Tests declare statements too.
    return source ? [{ statement, workspace: source.path.split("/").slice(0, 2).join("/") }] : [];
  });
}

/** Whether a source names a statement, perhaps with a template such as `group-uses-${scope}`. */
function isNamedIn(text: string, name: string): boolean {
  if (text.includes(`name: "${name}"`)) return true;
  return [...text.matchAll(/\bname: `([^`]+)`/g)].some(([, template = ""]) =>
    new RegExp(`^${template.replaceAll(/\$\{[^}]*\}/g, ".+")}$`).test(name),
  );
}
