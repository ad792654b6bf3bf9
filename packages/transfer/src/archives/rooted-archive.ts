import type { SourceArchive } from "./source-archive.ts";

/**
 * Returns the archive with the folder of a file as its root: many archives have all their files in one folder.
 * @param file a file that is in the root of the export
 */
export function rootedAt(archive: SourceArchive, file: string): SourceArchive {
  const found = archive.names
    .filter((name) => name === file || name.endsWith(`/${file}`))
    .sort((a, b) => a.length - b.length)[0];
  const root = found?.slice(0, -file.length) ?? "";
  if (root === "") return archive;
  return {
    names: archive.names.flatMap((name) =>
      name.startsWith(root) ? [name.slice(root.length)] : [],
    ),
    size: (name) => archive.size(root + name),
    open: (name) => archive.open(root + name),
    close: () => archive.close(),
  };
}
