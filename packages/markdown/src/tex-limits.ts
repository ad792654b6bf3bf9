/** Maximum nesting of braces; more would exhaust KaTeX's stack. */
const DEEPEST_BRACES = 60;

/** Fixed cost of a formula, in cheap characters. */
const PER_FORMULA = 20;

/** Commands, alignment characters and non-ASCII glyphs. */
const EXPENSIVE = /[^ -~\s]|[\\&']/g;

/** Cost of one of them, in cheap characters. */
const PER_EXPENSIVE = 10;

/** Sub- and superscripts, which add a box. */
const SCRIPTS = /[_^]/g;
const PER_SCRIPT = 6;

const COMMAND = /\\(?:[a-zA-Z@]+|.)/g;

/**
 * Commands that define commands: a few hundred characters could expand to millions, because definitions and arguments are
 * copied at each use.
 */
const DEFINING: ReadonlySet<string> = new Set(
  "def gdef edef xdef let futurelet global long newcommand renewcommand providecommand".split(" "),
);

/** Estimates the cost of typesetting a formula, in cheap characters of at most 7 µs. */
export function texCost(tex: string): number {
  const expensive = tex.match(EXPENSIVE)?.length ?? 0;
  const scripts = tex.match(SCRIPTS)?.length ?? 0;
  return PER_FORMULA + tex.length + expensive * PER_EXPENSIVE + scripts * PER_SCRIPT;
}

/** Whether a formula may be typeset: its nesting is limited and it defines no commands. */
export function isBounded(tex: string): boolean {
  return depth(tex) <= DEEPEST_BRACES && !commands(tex).some((name) => DEFINING.has(name));
}

function commands(tex: string): string[] {
  return (tex.match(COMMAND) ?? []).map((command) => command.slice(1));
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
