/** What fits into a line of a table. */
const longest = 160;

/**
 * The error in one readable line: its first one, or of Prisma's errors, which begin with a place in our code, the last.
 * @param error as it was written down; null where nothing was
 */
export function readableReason(error: string | null): string {
  const lines = (error ?? "")
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "" && !line.startsWith("at "));
  const [first = "no reason was written down"] = lines;
  const line = first.startsWith("Invalid `") ? (lines.at(-1) ?? first) : first;
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
