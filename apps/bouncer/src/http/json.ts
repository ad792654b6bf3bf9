/** What a JSON text is made of, besides its values: `{`, `[`, `,` and `:`. */
const structure = new Set([0x7b, 0x5b, 0x2c, 0x3a]);

/**
 * The value of a JSON text; undefined for what is none, or is made of more parts than that. A megabyte of brackets takes
 * JSON.parse a tenth of a second, in which nobody else is served; this looks at it in a hundredth.
 * @param mostParts brackets, braces, commas and colons, also those within strings
 */
export function parseJson(text: string, mostParts: number): unknown {
  let parts = 0;
  for (let i = 0; i < text.length; i++)
    if (structure.has(text.charCodeAt(i)) && ++parts > mostParts) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
