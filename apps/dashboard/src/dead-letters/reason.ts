/** Maximum length of a table line. */
const maxLength = 160;

/**
 * Returns an error as one readable line: its first line, or the last one for Prisma's errors, which begin with a place in
 * our code.
 * @param error as stored; null if there is none
 */
export function readableReason(error: string | null): string {
  const lines = (error ?? "")
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "" && !line.startsWith("at "));
  const [first = "no reason was recorded"] = lines;
  const line = first.startsWith("Invalid `") ? (lines.at(-1) ?? first) : first;
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
