/** Braces nested deeper would exhaust the stack of the typesetter. */
const DEEPEST_BRACES = 60;

/** What beginning a formula costs, in cheap characters. */
const PER_FORMULA = 20;

/** Commands, and characters that are set in columns, above others or as glyphs of their own. */
const DEAR = /[^ -~\s]|[\\&']/g;

/** What one of them costs, in cheap characters. */
const PER_DEAR = 10;

/** Characters that set the next one in a box of its own: what one costs besides itself. */
const SCRIPTS = /[_^]/g;
const PER_SCRIPT = 6;

const COMMAND = /\\(?:[a-zA-Z@]+|.)/g;

/**
 * A few hundred characters that define commands can stand for millions that the typesetter counts nowhere: the text of
 * a definition and its arguments are copied at each use, one within the other.
 */
const DEFINING: ReadonlySet<string> = new Set(
  "def gdef edef xdef let futurelet global long newcommand renewcommand providecommand".split(" "),
);

/** How long the formula takes to typeset, in cheap characters of about 7 µs at most. */
export function texCost(tex: string): number {
  const dear = tex.match(DEAR)?.length ?? 0;
  const scripts = tex.match(SCRIPTS)?.length ?? 0;
  return PER_FORMULA + tex.length + dear * PER_DEAR + scripts * PER_SCRIPT;
}

/** Whether the typesetter may be asked for the formula at all: it nests within bounds and defines no commands. */
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
