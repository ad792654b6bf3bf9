import type { Inline } from "../document.ts";
import { runLength } from "./bracketing.ts";
import { add, type Cursor, type DelimiterRun } from "./cursor.ts";

/** How many runs back a closing run looks for its partner; keeps hostile text linear. */
const LOOK_BACK = 64;

/** Records a run of `*` (1 to 3) or `~~`, which `pairDelimiters` pairs. */
export function delimiters(cursor: Cursor, at: number, end: number): number {
  const { source } = cursor;
  const code = source.charCodeAt(at);
  const marker = code === 0x2a ? "*" : "~";
  const length = Math.min(runLength(source, at, code), end - at);
  const after = at + length;
  if (marker === "*" ? length > 3 : length !== 2) return after;
  const canOpen = after < end && !isSpace(source.charCodeAt(after));
  const canClose = at > 0 && !isSpace(source.charCodeAt(at - 1));
  if (!canOpen && !canClose) return after;
  add(
    cursor,
    { kind: "delimiters", marker, canOpen, canClose, left: length, closing: "", opening: "" },
    at,
    after,
  );
  cursor.hasDelimiters = true;
  return after;
}

/** Turns runs into `<strong>`, `<em>` and `<del>` if they pair within a line, else back into text. */
export function pairDelimiters(nodes: readonly (Inline | DelimiterRun)[]): Inline[] {
  let open: DelimiterRun[] = [];
  for (const node of nodes) {
    if (node.kind === "break") open = [];
    else if (node.kind === "delimiters") {
      if (node.canClose) close(open, node);
      if (node.canOpen && node.left > 0) open.push(node);
    }
  }
  return nodes.map((node) =>
    node.kind === "delimiters" ? { kind: "html", html: html(node) } : node,
  );
}

function close(open: DelimiterRun[], closer: DelimiterRun): void {
  while (closer.left > 0) {
    const index = findOpener(open, closer);
    const opener = open[index];
    if (opener === undefined) return;
    const used = Math.min(opener.left, closer.left);
    const [start, end] = tags(closer.marker, used);
    opener.opening = start + opener.opening;
    closer.closing += end;
    opener.left -= used;
    closer.left -= used;
    open.length = opener.left > 0 ? index + 1 : index;
  }
}

/** Finds the nearest run of the same length, so that bold wins over italic; else one that nests (`**a *b***`). */
function findOpener(open: readonly DelimiterRun[], closer: DelimiterRun): number {
  const lowest = Math.max(0, open.length - LOOK_BACK);
  let nesting = -1;
  for (let i = open.length - 1; i >= lowest; i--) {
    const run = open[i];
    if (run === undefined || run.marker !== closer.marker) continue;
    if (run.left === closer.left) return i;
    if (nesting < 0 && (run.left < closer.left || run.left === 3)) nesting = i;
  }
  return nesting;
}

function tags(marker: "*" | "~", length: number): [string, string] {
  if (marker === "~") return ["<del>", "</del>"];
  if (length === 1) return ["<em>", "</em>"];
  if (length === 2) return ["<strong>", "</strong>"];
  return ["<strong><em>", "</em></strong>"];
}

function html(run: DelimiterRun): string {
  return run.closing + run.marker.repeat(run.left) + run.opening;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || code === 0x3000;
}
