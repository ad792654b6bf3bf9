import type { ProtocolPage } from "./protocol-pages.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
}

const mark = "Not served yet.";
/** Matches `POST /typing`; matches `GET`/`PATCH /users/{email}` as two operations. */
const named = /((?:`?(?:GET|POST|PUT|PATCH|DELETE)`?(?:, |\/| \/ )?)+) (\/[\w/{}.-]*[\w}])/g;

/**
 * Returns where a page is wrong about which operations are served. An operation in a heading or at the beginning of a
 * table row must be served, unless it or a heading above it is marked with "Not served yet."; then it must not be.
 */
export function unservedMarks(page: ProtocolPage, served: readonly Operation[]): string[] {
  const shapes = new Set(served.map(({ method, path }) => shapeOf(method, path)));
  const wrong: string[] = [];
  /** For each heading above the line, from the outermost: whether it is marked. */
  const above: boolean[] = [];
  const lines = page.text.split("\n");
  for (const [i, line] of lines.entries()) {
    const depth = /^#+(?= )/.exec(line)?.[0].length;
    const begin = depth === undefined ? (/^\| (`[^|]*)\|/.exec(line)?.[1] ?? "") : line;
    // The mark of a heading is at the beginning of its text.
    const own = begin.includes(mark) || (depth !== undefined && isMarked(lines, i));
    if (depth !== undefined) {
      above.length = depth - 1;
      above.push(own);
    }
    const marked = own || above.some(Boolean);
    for (const [, methods = "", path = ""] of begin.matchAll(named))
      for (const method of methods.match(/[A-Z]+/g) ?? []) {
        const isServed = ["/api/v1", ""].some((base) => shapes.has(shapeOf(method, base + path)));
        if (isServed === marked)
          wrong.push(`${page.name}: ${method} ${path} is ${isServed ? "" : "not "}served`);
      }
  }
  return wrong;
}

function isMarked(lines: readonly string[], heading: number): boolean {
  const next = lines.slice(heading + 1).find((line) => line !== "");
  return next?.startsWith(`**${mark}**`) ?? false;
}

/** Returns the operation without the names of its path parameters. */
function shapeOf(method: string, path: string): string {
  return `${method} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`;
}
