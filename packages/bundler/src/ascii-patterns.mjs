import { readFileSync } from "node:fs";

/**
 * Writes what is beyond ASCII in modules of markdown-it as escapes, which esbuild does in texts but not in patterns. For one
 * such character V8 keeps all of a file at two bytes a character, and a gateway's has five million.
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
