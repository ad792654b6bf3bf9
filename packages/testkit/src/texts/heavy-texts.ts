/** Code points of the longest message. */
const longest = 10_000;

/** Repeats a text up to the length of the longest message, and appends a number, so that no two texts are the same. */
const filled = (part: string) => (n: number) =>
  `${part.repeat(Math.ceil(longest / part.length)).slice(0, longest - 20)}\n\n${n}`;
const numbered = (n: number, part: (i: number) => string) =>
  `${n} ${Array.from({ length: 2_000 }, (_, i) => part(i)).join("")}`.slice(0, longest);

/**
 * The longest messages, by kind, that are expensive to parse, to look names up for, or to write. `n` makes each text
 * unique; `channel` is the name of the channel to whose topics they link.
 */
export const heavyTexts = {
  lists: filled("- a\n"),
  "ordered lists": filled("1. a\n"),
  "quoted lists": filled("> - a\n"),
  "nested quotes": filled(">>>>>>>>>> a\n"),
  tables: (n) => `| a | b |\n|---|---|\n${"| x | y |\n".repeat(995)}${n}`,
  "bare links": filled("https://a.co/x "),
  "links with a label": filled("[a](b.co) "),
  "mentions of people who do not exist": (n) => numbered(n, (i) => `@**nobody ${i}** `),
  "mentions by numbers": (n) => numbered(n, (i) => `@**|${i + 1}** `),
  "links to topics": (n, channel) => numbered(n, (i) => `#**${channel}>topic ${i}** `),
  formulas: filled("$$x^2$$ "),
  "a displayed formula": (n) => `\`\`\`math\n${"x^2+".repeat(2_400)}${n}\n\`\`\``,
  "a block of code": (n) => `\`\`\`\n${"if (a < b) { return; }\n".repeat(430)}${n}\n\`\`\``,
  emoji: filled("😀 "),
  "named emoji": filled(":smile: "),
} as const satisfies Readonly<Record<string, (n: number, channel: string) => string>>;
