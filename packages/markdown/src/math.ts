import { createRequire } from "node:module";
import { escapeText } from "./escape.ts";
import { silenceConsole } from "./silence-console.ts";
import { takeMarkup, type Rendering } from "./rendering.ts";
import { isBounded, texCost } from "./tex-limits.ts";

type Katex = typeof import("katex").default;

const require = createRequire(import.meta.url);
let katex: Katex | undefined;

/** Typesets `$$tex$$` inline; TeX that KaTeX refuses is shown as typed (rendering.md §3). */
export function renderMath(tex: string, rendering: Rendering): string {
  return typeset(tex, false, rendering) ?? `<span class="tex-error">$$${escapeText(tex)}$$</span>`;
}

/** Typesets the contents of a math fence. */
export function renderMathBlock(tex: string, rendering: Rendering): string {
  const html = typeset(tex, true, rendering);
  return `<p>${html ?? `<span class="tex-error">${escapeText(tex)}</span>`}</p>`;
}

function typeset(tex: string, displayMode: boolean, rendering: Rendering): string | undefined {
  rendering.texLeft -= texCost(tex);
  if (rendering.texLeft < 0 || !isBounded(tex)) return undefined;
  const { renderToString } = load();
  try {
    // KaTeX prints unknown commands and \message to the console.
    const html = silenceConsole(() =>
      renderToString(tex, {
        displayMode,
        throwOnError: true,
        strict: "ignore",
        trust: false,
        maxExpand: 100,
        maxSize: 50,
      }),
    );
    return takeMarkup(rendering, html.length, tex.length) ? html : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Loads KaTeX at the first formula, in 25 to 40 ms; it takes 8 MB, and most processes never need it. It is `require`,
 * because rendering is synchronous. Failing to load it is an error, since the text would otherwise be stored with other
 * HTML than other processes make.
 */
function load(): Katex {
  katex ??= require("katex") as Katex;
  return katex;
}
