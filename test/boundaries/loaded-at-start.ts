import { posix } from "node:path";
import { readFiles } from "./source-files.ts";

/** The modules that a process loads at the start: our files, and external packages. */
export interface LoadedAtStart {
  /** Our files, from the root of the repository. */
  readonly files: ReadonlySet<string>;
  /** External packages. */
  readonly packages: ReadonlySet<string>;
}

const statement = /^(?:import|export)\s+(?!type\b)(?:[\w\s{},*]*\bfrom\s+)?"([^"\n]+)"/gm;
const scannedFolder = /new URL\("(\.\/[\w-]+)", import\.meta\.url\)/g;

/**
 * Follows the import statements of each entry, and the folders that are scanned at the start. Dynamic imports in
 * functions do not count.
 * @param entries paths from the root of the repository
 */
export async function loadedAtStart(
  entries: readonly string[],
): Promise<ReadonlyMap<string, LoadedAtStart>> {
  const sources = await readFiles(["packages", "apps"], /(?<!\.test|\.d)\.m?[jt]s$/);
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  return new Map(entries.map((entry) => [entry, follow(entry, texts)]));
}

function follow(entry: string, texts: ReadonlyMap<string, string>): LoadedAtStart {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const path of files) {
    const text = texts.get(path) ?? "";
    const beside = (name: string) => posix.join(posix.dirname(path), name);
    for (const [, name = ""] of text.matchAll(statement)) {
      if (name.startsWith(".")) files.add(beside(name));
      else if (name.startsWith("@carillon/")) files.add(indexOf(name));
      else if (!name.startsWith("node:")) packages.add(packageOf(name));
    }
    for (const [, folder = ""] of text.matchAll(scannedFolder))
      for (const other of texts.keys())
        if (other.startsWith(`${beside(folder)}/`)) files.add(other);
  }
  return { files, packages };
}

function indexOf(name: string): string {
  return `packages/${name.slice("@carillon/".length)}/src/index.ts`;
}

function packageOf(name: string): string {
  return name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
}
