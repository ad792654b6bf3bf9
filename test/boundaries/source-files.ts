import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the repository, with the facts that the boundary tests check. */
export interface SourceFile {
  /** Path from the root of the repository, with slashes. */
  readonly path: string;
  /** Imported modules as written, type imports included. */
  readonly imports: readonly string[];
  readonly readsEnvironment: boolean;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const folders = ["packages", "apps", "test", "bench", "scripts"];
const ignored = new Set([
  "node_modules",
  "dist",
  ".types",
  "generated",
  "declared.ts",
  "statement-rows.ts",
  ".turbo",
  "var",
]);

/** Reads all sources of the repository except generated files. */
export async function readSources(): Promise<SourceFile[]> {
  const files = await readFiles(folders, /\.[cm]?[jt]sx?$/);
  return files.map(({ path, text }) => sourceFile(path, text));
}

/**
 * Reads the files with matching names in these folders and below.
 * @param places folders, from the root of the repository
 */
export async function readFiles(
  places: readonly string[],
  name: RegExp,
): Promise<Array<{ path: string; text: string }>> {
  const lists = places.map((place) => list(join(root, place), name));
  const paths = (await Promise.all(lists)).flat();
  return Promise.all(
    paths.map(async (path) => ({
      path: relative(root, path).split(sep).join("/"),
      text: await readFile(path, "utf8"),
    })),
  );
}

/** Returns whether a file only runs in tests: `*.test.ts`, `test-support.ts`, or a file in a folder `test-support`. */
export function isForTests(path: string): boolean {
  return /\.test\.tsx?$|\/test-support(?:\.ts|\/)/.test(path);
}

/** Reads files as {@link readFiles} does, except files that only run in tests. */
export async function readProductionFiles(
  places: readonly string[],
  name = /\.ts$/,
): Promise<Array<{ path: string; text: string }>> {
  return (await readFiles(places, name)).filter(({ path }) => !isForTests(path));
}

async function list(folder: string, name: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .filter((entry) => !ignored.has(entry.name))
      .map(async (entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return list(path, name);
        return name.test(entry.name) ? [path] : [];
      }),
  );
  return found.flat();
}

const statement = /^[ \t]*(?:import|export)\b[^"'`;]*?["']([^"'\n]+)["']/gm;
const call = /\b(?:import|require|resolve)\(\s*["']([^"'\n]+)["']/g;
const environment = /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\[["']env["']\]/;
const environmentImport = /import\s*\{[^}]*\benv\b[^}]*\}\s*from\s*["'](?:node:)?process["']/;

/** @param path path from the root of the repository */
export function sourceFile(path: string, text: string): SourceFile {
  const imports = [statement, call].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? ""),
  );
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  return {
    path,
    imports: [...new Set(imports)],
    readsEnvironment: environment.test(code) || environmentImport.test(code),
  };
}
