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

/** Typesets `$$tex$$` inline; TeX that KaTeX refuses is shown as typed (rendering.md §3). */
export function renderMath(formula: Formula, rendering: Rendering): string {
  const html = affordable(formula, false, rendering);
  return html ?? `<span class="tex-error">$$${escapeText(formula.tex)}$$</span>`;
}

/** Typesets the contents of a math fence. */
export function renderMathBlock(formula: Formula, rendering: Rendering): string {
  const html = affordable(formula, true, rendering);
  return `<p>${html ?? `<span class="tex-error">${escapeText(formula.tex)}</span>`}</p>`;
}

/** Returns undefined if KaTeX refuses the formula, or the text has used up what its formulas may cost. */
function affordable(
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
 * Loads KaTeX at the first formula, in 25 to 40 ms; it takes 8 MB, and most processes never need it. It is `require`,
 * because rendering is synchronous. Failing to load it is an error, since the text would otherwise be stored with other
 * HTML than other processes make.
 */
function load(): Katex {
  katex ??= require("katex") as Katex;
  return katex;
}
