import type { Term } from "../route.ts";

/** Operators that may be typed, with operands that are words. */
const typed = new Set(["is", "has", "in", "channels"]);

/**
 * Reads what was typed into the search field: `is:starred -has:link some "quoted words"`. Other words
 * are searched for.
 */
export function parseSearch(text: string): Term[] {
  const terms: Term[] = [];
  const words: string[] = [];
  for (const part of text.match(/"[^"]*"|\S+/g) ?? []) {
    const [, minus = "", operator = "", operand = ""] = /^(-?)(\w+):([\w-]+)$/.exec(part) ?? [];
    if (typed.has(operator)) terms.push({ operator, operand, ...(minus && { negated: true }) });
    else words.push(part);
  }
  if (words.length > 0) terms.push({ operator: "search", operand: words.join(" ") });
  return terms;
}
