import type { FaultyObjects } from "@carillon/backup";

/** How many faulty files a message names. */
const maxNamed = 20;

/** Names the first faulty files, one a line, and counts the others. */
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
