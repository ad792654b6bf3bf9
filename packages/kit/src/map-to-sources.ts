import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

const bundled = /file:\/\/[^\s()]+\.js:\d+:\d+/g;
/** Source positions by bundle position. It is bounded by the number of calls in the code. */
const known = new Map<string, string>();

/**
 * Replaces positions in bundles by positions in sources, in the lines of a stack. Reads a bundle's source map when a
 * new position is looked up, in about 40 ms, and does not keep it; with `--enable-source-maps` Node would take 240 ms
 * and keep 140 MB.
 */
export function mapToSources(frames: string): string {
  const unknown = (frames.match(bundled) ?? []).filter((place) => !known.has(place));
  for (const file of new Set(unknown.map(fileOf)))
    lookUp(file, new Set(unknown.filter((place) => fileOf(place) === file)));
  return frames.replaceAll(bundled, (place) => known.get(place) ?? place);
}

function lookUp(file: string, places: ReadonlySet<string>): void {
  const map = readMap(file);
  for (const place of places) known.set(place, (map && original(map, file, place)) ?? place);
}

/** Returns the position in the sources; undefined if the map has none for it. */
function original(map: SourceMap, file: string, place: string): string | undefined {
  // Stacks count lines and columns from 1, maps from 0.
  const [line = 1, column = 1] = place.split(":").slice(-2).map(Number);
  const entry = map.findEntry(line - 1, column - 1);
  if (!("originalSource" in entry) || entry.generatedLine !== line - 1) return undefined;
  const source = new URL(entry.originalSource, file).href;
  return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

/** Removes `:LINE:COLUMN`. */
function fileOf(place: string): string {
  return place.replace(/:\d+:\d+$/, "");
}

/** Returns the source map of a file; undefined if there is none, as for modules of Node and of packages. */
function readMap(file: string): SourceMap | undefined {
  try {
    const text = readFileSync(fileURLToPath(`${file}.map`), "utf8");
    return new SourceMap(JSON.parse(text) as SourceMapPayload);
  } catch {
    return undefined;
  }
}
