import { createRequire } from "node:module";
import { escapeText } from "./escape.ts";
import { silenceConsole } from "./silence-console.ts";
import { takeMarkup, type Rendering } from "./rendering.ts";
import { isBounded, texCost } from "./tex-limits.ts";

type Katex = typeof import("katex").default;

const require = createRequire(import.meta.url);
let katex: Katex | undefined;

/** A formula of a parsed text. */
interface Formula {
  readonly tex: string;
}

/** Typesets `$$tex$$` inline; shows TeX that KaTeX rejects as it was written (rendering.md §3). */
export function renderMath(formula: Formula, rendering: Rendering): string {
  const html = typesetWithinBudget(formula, false, rendering);
  return html ?? `<span class="tex-error">$$${escapeText(formula.tex)}$$</span>`;
}

/** Typesets the contents of a math fence. */
export function renderMathBlock(formula: Formula, rendering: Rendering): string {
  const html = typesetWithinBudget(formula, true, rendering);
  return `<p>${html ?? `<span class="tex-error">${escapeText(formula.tex)}</span>`}</p>`;
}

/** Returns undefined if KaTeX rejects the formula, or if the formulas of the text cost more than the limit. */
function typesetWithinBudget(
  formula: Formula,
  displayMode: boolean,
  rendering: Rendering,
): string | undefined {
  const { tex } = formula;
  rendering.texLeft -= texCost(tex);
  if (rendering.texLeft < 0 || !isBounded(tex)) return undefined;
  const html = typeset(formula, displayMode);
  if (html === undefined) return undefined;
  return takeMarkup(rendering, html.length, tex.length) ? html : undefined;
}

/** HTML of formulas, for texts that are rendered twice: before and in the transaction that sends them. */
const typesetBefore = new WeakMap<Formula, string | undefined>();

function typeset(formula: Formula, displayMode: boolean): string | undefined {
  if (typesetBefore.has(formula)) return typesetBefore.get(formula);
  const html = callKatex(formula.tex, displayMode);
  typesetBefore.set(formula, html);
  return html;
}

function callKatex(tex: string, displayMode: boolean): string | undefined {
  const { renderToString } = load();
  try {
    // KaTeX prints unknown commands and \message to the console.
    return silenceConsole(() =>
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

/**
 * Loads KaTeX at the first formula, in 25 to 40 ms: it takes 8 MB, and most processes never need it. Uses `require`,
 * because rendering is synchronous.
 * @throws Error if KaTeX cannot be loaded: without the error this process would store other HTML than the others
 */
function load(): Katex {
  katex ??= require("katex") as Katex;
  return katex;
}
