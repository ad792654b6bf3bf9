import { createRequire } from "node:module";
import { escapeText } from "./escape.ts";
import type { Rendering } from "./rendering.ts";

type Katex = typeof import("katex").default;

const require = createRequire(import.meta.url);
let katex: Katex | undefined;

/** Braces nested deeper would exhaust the stack of the typesetter. */
const DEEPEST_BRACES = 60;

/** What beginning a formula costs, in characters. */
const PER_FORMULA = 20;

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
  rendering.texLeft -= tex.length + PER_FORMULA;
  if (rendering.texLeft < 0 || depth(tex) > DEEPEST_BRACES) return undefined;
  try {
    return load().renderToString(tex, {
      displayMode,
      throwOnError: true,
      strict: "ignore",
      trust: false,
      maxExpand: 100,
      maxSize: 50,
    });
  } catch {
    return undefined;
  }
}

function depth(tex: string): number {
  let deepest = 0;
  let open = 0;
  for (const character of tex) {
    if (character === "{") deepest = Math.max(deepest, ++open);
    else if (character === "}") open--;
  }
  return deepest;
}

/** Loaded on first use: most processes never typeset anything. */
function load(): Katex {
  katex ??= require("katex") as Katex;
  return katex;
}
