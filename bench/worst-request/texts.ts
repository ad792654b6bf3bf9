/** Functions that build the slowest texts for the renderer, of a given length, by kind. */
export const worstTexts: Readonly<Record<string, (length: number) => string>> = {
  emoji: (length) => fill("😀", 2 * length),
  "unique names of emoji": (length) => growing((n) => `:e${n}:`, length),
  stars: (length) => fill("*a **b ***c ", length),
  "opening stars": (length) => fill("*a", length),
  domains: (length) => fill("a.com ", length),
  "lines of a list": (length) => fill("- a\n", length),
  "variation selectors": (length) => fill("\ufe0f", length),
  "quotes that end early": (length) => fill("># a\na\n", length),
  "spoilers in quotes": (length) => fill("~~~spoiler\na\n>", length),
  "deep quotes": (length) => fill(`${">".repeat(40)}a\n`, length),
  "deep lists": (length) => fill(`${"- ".repeat(40)}a\n`, length),
  tables: (length) => fill("|a|b|\n|-|-|\n|c|d|\n", length),
  "tildes, then backticks": (length) => fill("~", length / 2) + fill("`", length / 2),
  brackets: (length) => fill("[", length / 2) + fill("](b)", length / 2),
  "parentheses in an address": (length) =>
    fill(`http://a.b/${"(".repeat(900)}${")".repeat(900)} `, length),
  "mentions of nobody": (length) => growing((n) => `@**n${n}** `, length),
  "mentions of namesakes": (length) => fill("@**Namesake** ", length),
  "links to topics": (length) => growing((n) => `#**channel 1>t${n}** `, length),
  "many formulas": (length) => fill("$$x$$ ", length),
  "a long formula": (length) => `$$${fill("é'", length - 4)}$$`,
  "a matrix": (length) =>
    `\`\`\`math\n\\begin{matrix}${fill("&", length - 50)}\\end{matrix}\n\`\`\``,
  "macros of TeX": (length) => fill("$$\\KaTeX\\TeX$$ ", length),
  fractions: (length) => fill("$$\\frac12$$ ", length),
};

/** Repeats `piece` up to a length. */
export function fill(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

/** Joins pieces that all differ, up to a length. */
export function growing(piece: (n: number) => string, length: number): string {
  const pieces: string[] = [];
  let size = 0;
  for (let n = 100_000; size < length; n++) size += pieces[pieces.push(piece(n)) - 1]!.length;
  return pieces.join("").slice(0, length);
}
