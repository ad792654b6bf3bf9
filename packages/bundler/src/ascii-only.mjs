import { readFileSync } from "node:fs";

/**
 * Matches a template with the tag `String.raw`, in which an escape would stay visible, or one non-ASCII character. It
 * leaves white space to esbuild, because white space and a byte order mark may stand between tokens.
 */
const rawTemplateOrCharacter = /String\.raw`(?:\\[^]|[^`\\])*`|[^\0-\x7f\s]/g;

/**
 * Escapes non-ASCII characters in all modules; esbuild does so in strings, but not in regular expressions and tagged
 * templates. A single such character makes V8 store the whole file with two bytes a character, and a gateway's bundle has
 * five million.
 * @type {import("esbuild").Plugin}
 */
export const asciiOnly = {
  name: "ASCII only",
  setup(build) {
    build.onLoad({ filter: /\.[cm]?[jt]s$/, namespace: "file" }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const contents = escapeNonAscii(text);
      return contents === text
        ? undefined
        : { contents, loader: path.endsWith("ts") ? "ts" : "js" };
    });
  },
};

/**
 * Returns the text of a module with `\uXXXX` for each UTF-16 unit that is not ASCII.
 * @param {string} text
 */
export function escapeNonAscii(text) {
  return text.replaceAll(rawTemplateOrCharacter, (found) =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
