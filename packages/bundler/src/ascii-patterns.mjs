import { readFileSync } from "node:fs";

/**
 * Escapes non-ASCII characters in markdown-it's modules; esbuild does so in strings but not in regular expressions. A
 * single such character makes V8 store the whole file with two bytes a character, and a gateway's bundle has five million.
 * @type {import("esbuild").Plugin}
 */
export const asciiPatterns = {
  name: "ascii patterns",
  setup(build) {
    build.onLoad({ filter: /\/markdown-it\/.*\.m?js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
    }));
  },
};
