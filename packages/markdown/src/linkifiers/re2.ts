import { createRequire } from "node:module";

type Re2 = typeof import("re2js").RE2JS;

const require = createRequire(import.meta.url);
let loaded: Re2 | undefined;

/**
 * Loads the RE2 library at its first use: it takes 5 MB, and most organizations have no linkifier.
 * @throws Error if the library cannot be loaded; callers must not take this for an error of the pattern
 */
export function re2(): Re2 {
  loaded ??= (require("re2js") as { RE2JS: Re2 }).RE2JS;
  return loaded;
}
