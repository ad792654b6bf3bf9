import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/** A block of TypeScript in a guide, and the file that it stands for. */
export interface Example {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/**
 * The examples of a guide. A block stands for the file that its first line names in a comment, else for the first one
 * that the paragraph before it names, else, where that paragraph begins with "The test", for the test of the one before.
 * @throws Error for a block of which that cannot be told
 */
export function examplesOf(guide: string): Example[] {
  const found: Example[] = [];
  for (const { index, 1: text = "" } of guide.matchAll(/^```ts\n(.*?)^```$/gms)) {
    const paragraph = guide.slice(0, index).trimEnd().split("\n\n").at(-1) ?? "";
    const named =
      /^\/\/ (\S+\.ts)/.exec(text)?.[1] ?? /`([\w./-]+\/[\w.-]+\.ts)`/.exec(paragraph)?.[1];
    const tested = found.at(-1)?.path;
    const path =
      named ??
      (paragraph.startsWith("**The test") ? tested?.replace(/\.ts$/, ".test.ts") : undefined);
    if (path === undefined) throw new Error(`no file is named for this example:\n${text}`);
    found.push({ path, text });
  }
  return found;
}

/** Examples that are files of their own; the others are lines for a file that is there. */
export function isNewFile(root: string, { path }: Example): boolean {
  return !existsSync(join(root, path));
}

/**
 * Writes the examples into a folder, as if they lay in the repository: relative imports find the repository's files,
 * and packages export the examples that belong to them. `tsc --project FOLDER` checks them then.
 */
export async function layOut(
  root: string,
  folder: string,
  examples: readonly Example[],
): Promise<void> {
  const packages = new Map<string, string[]>();
  for (const { path, text } of examples) {
    await put(join(folder, path), text);
    const [, name, rest] = /^packages\/([^/]+)\/(src\/.+)$/.exec(path) ?? [];
    if (name === undefined || rest === undefined || rest.endsWith(".test.ts")) continue;
    packages.set(name, [...(packages.get(name) ?? []), rest]);
  }
  for (const [name, files] of packages) {
    const index = relative(
      join(folder, "packages", name),
      join(root, "packages", name, "src/index.ts"),
    );
    const all = [index, ...files.map((file) => `./${file}`)];
    const lines = all.map((file) => `export * from ${JSON.stringify(file)};\n`);
    await put(join(folder, "packages", name, "with-examples.ts"), lines.join(""));
  }
  const paths = [...packages.keys()].map((name) => [
    `@carillon/${name}`,
    [`./packages/${name}/with-examples.ts`],
  ]);
  const config = {
    extends: join(root, "tsconfig.test.json"),
    compilerOptions: { rootDir: root, rootDirs: [root, "."], paths: Object.fromEntries(paths) },
    include: ["**/*.ts"],
  };
  await put(join(folder, "tsconfig.json"), JSON.stringify(config));
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
