/** What a source map says. */
export interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** A place in a file; lines and columns count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A place in one of the sources. */
export interface Original extends Place {
  readonly source: string;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Uint8Array(128);
const comma = ",".charCodeAt(0);
const semicolon = ";".charCodeAt(0);
for (let value = 0; value < 64; value++) values[digits.charCodeAt(value)] = value;

/**
 * Where places of a generated file come from; undefined where the map does not say. It is one pass over the map, of
 * which nothing is kept.
 * @param places in their order in the file
 */
export function originals(map: SourceMap, places: readonly Place[]): Array<Original | undefined> {
  const { sources, mappings } = map;
  const found: Array<Original | undefined> = [];
  let position = 0;
  /** A number: five bits a digit, the lowest first, with a bit that says whether more follow; the sign comes first. */
  const number = () => {
    let bits = 0;
    for (let shift = 0; ; shift += 5) {
      const digit = values[mappings.charCodeAt(position++)] ?? 0;
      bits |= (digit & 31) << shift;
      if (digit < 32) return bits & 1 ? -(bits >> 1) : bits >> 1;
    }
  };
  const segmentGoesOn = () => {
    const next = mappings.charCodeAt(position);
    return next !== comma && next !== semicolon && position < mappings.length;
  };

  let line = 1;
  // Each is told as the difference to the one before.
  let column = 1;
  let source = 0;
  let sourceLine = 1;
  let sourceColumn = 1;
  let before: Original | undefined;
  /** A place comes from where the last segment before it does, in its line. */
  const settle = (isBefore: (place: Place) => boolean) => {
    for (let place; (place = places[found.length]) && isBefore(place);) found.push(before);
  };
  while (position < mappings.length && found.length < places.length) {
    const next = mappings.charCodeAt(position);
    if (next === semicolon) {
      settle((place) => place.line <= line);
      line++;
      column = 1;
      before = undefined;
      position++;
    } else if (next === comma) position++;
    else {
      column += number();
      settle((place) => place.line === line && place.column < column);
      if (segmentGoesOn()) {
        source += number();
        sourceLine += number();
        sourceColumn += number();
      }
      // The name of what stands there.
      if (segmentGoesOn()) number();
      if (places[found.length]?.line === line)
        before = { source: sources[source] ?? "", line: sourceLine, column: sourceColumn };
    }
  }
  settle((place) => place.line === line);
  while (found.length < places.length) found.push(undefined);
  return found;
}
