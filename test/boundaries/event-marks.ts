import type { ProtocolPage } from "./protocol-pages.ts";

const mark = "**Not served yet.**";

/**
 * Returns the events in the catalogue of a page, by type and op (`user_group/add`), and whether each is marked as not
 * served.
 */
export function markedEvents(page: ProtocolPage, section: string): Map<string, boolean> {
  const events = new Map<string, boolean>();
  for (const line of linesOf(page, section)) {
    const [, type, rest] = /^\| `(\w+)`([^|]*)\|/.exec(line) ?? [];
    if (type === undefined || rest === undefined) continue;
    for (const part of rest.split(";")) {
      const isMarked = part.includes(mark);
      const ops = part
        .replace(mark, "")
        .split(",")
        .map((op) => op.trim())
        .filter((op) => op !== "");
      if (ops.length === 0) events.set(type, isMarked);
      for (const op of ops) events.set(`${type}/${op}`, isMarked);
    }
  }
  return events;
}

/** Returns the lines of the section, up to the next heading of the same level. */
function linesOf({ text }: ProtocolPage, section: string): readonly string[] {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.startsWith(`## ${section}. `));
  const length = lines.slice(first + 1).findIndex((line) => line.startsWith("## "));
  return lines.slice(first, length < 0 ? undefined : first + 1 + length);
}
