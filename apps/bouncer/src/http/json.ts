/** Characters that start or separate parts of JSON: `{`, `[`, `,` and `:`. */
const structure = new Set([0x7b, 0x5b, 0x2c, 0x3a]);

/**
 * Parses JSON; undefined if it is malformed or has more parts than `maxParts`. JSON.parse blocks for 100 ms on a megabyte
 * of brackets; counting them first takes 10 ms.
 * @param maxParts limit of brackets, braces, commas and colons, those within strings included
 */
export function parseJson(text: string, maxParts: number): unknown {
  let parts = 0;
  for (let i = 0; i < text.length; i++)
    if (structure.has(text.charCodeAt(i)) && ++parts > maxParts) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
