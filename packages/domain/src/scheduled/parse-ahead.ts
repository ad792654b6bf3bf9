import { loadAccounts, setting } from "@carillon/model";
import { inSlices } from "@carillon/kit";
import type { ParsedMessage } from "@carillon/markdown";

import { attempt } from "../messages/send/attempt.ts";
import { renderFor } from "../messages/send/check.ts";
import { loadRendering } from "../messages/send/mention-lookups.ts";
import { TextParser } from "../messages/send/text-parser.ts";
import { isReminder, type DueRow } from "./due-row.ts";
import { composeDueReminders } from "./compose-due-reminders.ts";
import type { DeliverOptions } from "./delivery-options.ts";

/** Rows whose texts have been parsed. */
export interface ParsedRows {
  /** The rows that fit into one batch: all rows given, or the first ones. */
  readonly ids: readonly number[];
  readonly parser: TextParser;
}

/** Names that are looked up for the texts of one batch, unless its first text has more. */
export const maxNames = 2_000;

/** Time for parsing the texts of one batch, and for rendering them, in milliseconds, unless the first text takes more. */
const maxMs = 200;

/**
 * Parses the texts of due rows in slices, before a transaction claims the rows. Also renders them, because the renderer
 * parses parts of a text again for names that do not exist. The transaction that sends the rows finds all parsed parts in
 * the parser, and parses only texts that were edited meanwhile. Stops early if the texts are expensive.
 */
export async function parseAhead(
  options: DeliverOptions,
  realmId: number,
  rows: readonly DueRow[],
): Promise<ParsedRows> {
  const { db } = options;
  const parser = new TextParser();
  const accounts = await loadAccounts(
    db,
    realmId,
    rows.map(({ senderId }) => senderId),
  );
  let names = 0;
  const parsedTexts = new Map<DueRow, ParsedMessage>();
  const parsedRows = await firstWithin(rows, (row) => {
    if (!row.senderActive || row.tooLate || isReminder(row)) return true;
    const parsed = parser.parseAhead(row.content);
    parsedTexts.set(row, parsed);
    const account = accounts.get(row.senderId);
    if (account && setting(account, "translate_emoticons")) parser.parseAhead(row.content, true);
    names += parsed.references.length;
    return names <= maxNames;
  });
  const texts = parsedRows.flatMap((row) => {
    const parsed = parsedTexts.get(row);
    return parsed ? [{ parsed, authorId: row.senderId }] : [];
  });
  const { lookups, realm, memberships } = await loadRendering(db, realmId, options.site.url, texts);
  const rendered = await firstWithin(parsedRows, (row) => {
    const parsed = parsedTexts.get(row);
    const account = accounts.get(row.senderId);
    // A text that cannot be rendered is rejected by the check.
    if (parsed && account)
      attempt(() => renderFor({ realm, memberships, lookups }, parsed, account, parser));
    return true;
  });
  await composeDueReminders(
    { ...options, parser },
    db,
    realm,
    rendered.filter((row) => isReminder(row) && row.senderActive),
  );
  return { ids: rendered.map(({ id }) => id), parser };
}

/**
 * Does `work` for the rows in order until it has taken {@link maxMs} or returns false, in slices.
 * @returns the rows that fit: all of them, or the first ones, at least one
 */
async function firstWithin(
  rows: readonly DueRow[],
  work: (row: DueRow) => boolean,
): Promise<DueRow[]> {
  const fit: DueRow[] = [];
  let isFull = false;
  let spentMs = 0;
  await inSlices(rows, (row) => {
    if (isFull) return;
    const startedAt = performance.now();
    const mayContinue = work(row);
    spentMs += performance.now() - startedAt;
    isFull = !mayContinue || spentMs > maxMs;
    if (!isFull || fit.length === 0) fit.push(row);
  });
  return fit;
}
