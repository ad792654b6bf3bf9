import { createRequire } from "node:module";
import { escapeText } from "./escape.ts";
import { quietly } from "./quietly.ts";
import { takeMarkup, type Rendering } from "./rendering.ts";
import { isBounded, texCost } from "./tex-limits.ts";

type Katex = typeof import("katex").default;

const require = createRequire(import.meta.url);
let katex: Katex | undefined;

/** `$$tex$$` typeset inline; TeX that KaTeX refuses is shown as typed (rendering.md §3). */
export function renderMath(tex: string, rendering: Rendering): string {
  return typeset(tex, false, rendering) ?? `<span class="tex-error">$$${escapeText(tex)}$$</span>`;
}

/** The contents of a math fence, displayed. */
export function renderMathBlock(tex: string, rendering: Rendering): string {
  const html = typeset(tex, true, rendering);
  return `<p>${html ?? `<span class="tex-error">${escapeText(tex)}</span>`}</p>`;
}

function typeset(tex: string, displayMode: boolean, rendering: Rendering): string | undefined {
  rendering.texLeft -= texCost(tex);
  if (rendering.texLeft < 0 || !isBounded(tex)) return undefined;
  const { renderToString } = load();
  try {
    // It writes what it does not know, and what \message asks for, to the console.
    const html = quietly(() =>
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
 * Loaded by the first formula, which takes 25 to 40 ms for it: most processes never see one, and would have 8 MB of it.
 * A renderer has no time to wait, so that it is `require`, and what cannot be loaded is an error: the text would be
 * stored as no other process shows it.
 */
function load(): Katex {
  katex ??= require("katex") as Katex;
  return katex;
}
