import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { originals, type SourceMap } from "./source-map.ts";

const bundled = /file:\/\/[^\s()]+\.js:\d+:\d+/g;
/** What was looked up, by place; there are no more than the code has calls. */
const known = new Map<string, string>();

/**
 * The lines of a stack with the places in the sources that a bundle was made of. Its map is read when something new is
 * looked up, in some 40 ms; with `--enable-source-maps` Node would take 240 ms and keep 140 MB.
 */
export function inSources(frames: string): string {
  const unknown = (frames.match(bundled) ?? []).filter((place) => !known.has(place));
  for (const file of new Set(unknown.map(fileOf))) {
    lookUp(file, [...new Set(unknown.filter((place) => fileOf(place) === file))]);
  }
  return frames.replaceAll(bundled, (place) => known.get(place) ?? place);
}

function lookUp(file: string, texts: readonly string[]): void {
  const places = texts
    .map((text) => {
      const [line = 0, column = 0] = text.split(":").slice(-2).map(Number);
      return { text, line, column };
    })
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
  const map = readMap(file);
  const found = map ? originals(map, places) : [];
  for (const [at, { text }] of places.entries()) {
    const original = found[at];
    known.set(
      text,
      original
        ? `${new URL(original.source, file).href}:${original.line}:${original.column}`
        : text,
    );
  }
}

/** Without `:LINE:COLUMN`. */
function fileOf(place: string): string {
  return place.replace(/:\d+:\d+$/, "");
}

/** Undefined where there is none, as for modules of Node's and of packages. */
function readMap(file: string): SourceMap | undefined {
  try {
    return JSON.parse(readFileSync(fileURLToPath(`${file}.map`), "utf8")) as SourceMap;
  } catch {
    return undefined;
  }
}
