import type { ProtocolPage } from "./protocol-pages.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
}

const mark = "Not served yet.";
/** `POST /typing`, and `GET`/`PATCH /users/{email}` as two. */
const named = /((?:`?(?:GET|POST|PUT|PATCH|DELETE)`?(?:, |\/| \/ )?)+) (\/[\w/{}.-]*[\w}])/g;

/**
 * Where a page is wrong about what is served: operations in headings and at the beginning of rows that are served
 * although they, or a heading above them, are marked with "Not served yet.", or the other way round.
 */
export function unservedMarks(page: ProtocolPage, served: readonly Operation[]): string[] {
  const shapes = new Set(served.map(({ method, path }) => shapeOf(method, path)));
  const wrong: string[] = [];
  /** The sections that the line lies in, from the outermost: whether each is marked. */
  const above: boolean[] = [];
  const lines = page.text.split("\n");
  for (const [i, line] of lines.entries()) {
    const depth = /^#+(?= )/.exec(line)?.[0].length;
    const begin = depth === undefined ? (/^\| (`[^|]*)\|/.exec(line)?.[1] ?? "") : line;
    // A heading's mark is the beginning of its text.
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

/** Operation without the names of its path's parameters. */
function shapeOf(method: string, path: string): string {
  return `${method} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`;
}
