import type { DueRow } from "./due-row.ts";
import { maxNames } from "./parse-ahead.ts";

/** Texts of more bytes than this may be expensive to parse. */
const longText = 1_000;

/** Bytes of expensive texts that a transaction parses and renders itself. They take 20 ms, texts of markup only 40 ms. */
const maxUnparsedBytes = 20_000;

/** A byte of a text with formulas takes as long as this many others: 500 short messages of formulas take 2.5 s. */
const formulaFactor = 10;

/** Markup in short texts: line breaks, quotes, tables, emphasis, code, links, domains and emoji. */
const markup = /[\n>|*_`~[]|\.\w|[\ud800-\udbff]/g;

/**
 * Bytes of a long text that take as long as one piece of {@link markup} in a short text. 100,000 bytes of short lists,
 * tables or quotes take 200 ms, 100,000 bytes of chat without markup 20 ms.
 */
const markupBytes = 4;

/** Returns whether the texts take so long to parse that they are parsed before their rows are claimed. */
export function hasExpensiveTexts(rows: readonly DueRow[]): boolean {
  return rows.reduce((sum, row) => sum + expensiveBytes(row), 0) > maxUnparsedBytes;
}

function expensiveBytes({ bytes, content }: DueRow): number {
  if (/\$\$|[`~]{3,}\s*math/.test(content)) return formulaFactor * bytes;
  return bytes > longText ? bytes : markupBytes * (content.match(markup)?.length ?? 0);
}

/** Returns whether the texts may have more names than are looked up for one batch. */
export function hasManyNames(rows: readonly DueRow[]): boolean {
  return rows.reduce((sum, { content }) => sum + countNames(content), 0) > maxNames;
}

/** Counts what may be a mention or a link: `@**name**`, `@_*group*`, `#**channel**`. */
function countNames(content: string): number {
  return content.match(/[@#]_?\*/g)?.length ?? 0;
}
