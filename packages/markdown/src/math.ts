import { createRequire } from "node:module";
import { escapeText } from "./escape.ts";
import { quietly } from "./quietly.ts";
import type { Rendering } from "./rendering.ts";

type Katex = typeof import("katex").default;

const require = createRequire(import.meta.url);
let katex: Katex | undefined;

/** Braces nested deeper would exhaust the stack of the typesetter. */
const DEEPEST_BRACES = 60;

/** What beginning a formula costs, in cheap characters. */
const PER_FORMULA = 20;

/** Commands, and characters that are set in columns, above others or as glyphs of their own. */
const DEAR = /[^ -~\s]|[\\&']/g;

/** What one of them costs, in cheap characters. */
const PER_DEAR = 10;

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
  rendering.texLeft -= cost(tex);
  if (rendering.texLeft < 0 || depth(tex) > DEEPEST_BRACES) return undefined;
  const { renderToString } = load();
  try {
    // It writes what it does not know, and what \message asks for, to the console.
    return quietly(() =>
      renderToString(tex, {
        displayMode,
        throwOnError: true,
        strict: "ignore",
        trust: false,
        maxExpand: 100,
        maxSize: 50,
      }),
    );
  } catch {
    return undefined;
  }
}

/** How long it takes to typeset, in cheap characters of about 7 µs at most. */
function cost(tex: string): number {
  return PER_FORMULA + tex.length + (tex.match(DEAR)?.length ?? 0) * PER_DEAR;
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
