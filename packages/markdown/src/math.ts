import { createRequire } from "node:module";
import { escapeText } from "./escape.ts";
import type { Rendering } from "./rendering.ts";

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
  rendering.texLeft -= tex.length;
  if (rendering.texLeft < 0) return undefined;
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

/** Loaded on first use: most processes never typeset anything. */
function load(): Katex {
  katex ??= require("katex") as Katex;
  return katex;
}
