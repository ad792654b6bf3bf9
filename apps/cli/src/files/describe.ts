import type { FaultyObjects } from "@carillon/backup";

/** How many faulty files a message names. */
const maxNamed = 20;

/** Counts faulty files, and names the first of them, one per line. */
export function describeFaulty({ count, named }: FaultyObjects): string {
  const lines = named
    .slice(0, maxNamed)
    .map(({ key, path, fault }) => `  ${path ?? "no upload"} (object ${key}): ${texts[fault]}`);
  if (count > lines.length) lines.push(`  and ${count - lines.length} more`);
  return `${count}\n${lines.join("\n")}`;
}

const texts = {
  missing: "missing",
  changed: "its bytes are not those of its upload",
} as const;
