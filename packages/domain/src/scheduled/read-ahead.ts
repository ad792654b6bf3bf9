import { loadAccounts, setting } from "@carillon/model";
import { inSlices } from "@carillon/kit";
import type { ParsedMessage } from "@carillon/markdown";

import { attempt } from "../messages/send/attempt.ts";
import { renderFor } from "../messages/send/check.ts";
import { loadRendering } from "../messages/send/mention-lookups.ts";
import { TextReader } from "../messages/send/text-reader.ts";
import { isReminder, type DueRow } from "./claim.ts";
import { composeDue } from "./compose-due.ts";
import type { DeliverOptions } from "./delivery-options.ts";

/** Rows whose texts have been parsed. */
export interface RowsRead {
  /** The rows that fit into one batch: all rows given, or the first ones. */
  readonly ids: readonly number[];
  readonly reader: TextReader;
}

/** Names that are looked up for the texts of one batch, unless its first text has more. */
const maxNames = 2_000;

/** Processor time for parsing the texts of one batch, in milliseconds, unless its first text takes more. */
const maxParsingMs = 200;

/**
 * Parses the texts of due rows in slices, before a transaction claims the rows. Also renders them, because the renderer
 * parses parts of a text again for names that do not exist. The transaction that sends the rows finds all parsed parts in
 * the reader, and parses only texts that were edited meanwhile. Stops early if the texts are expensive.
 */
export async function readAhead(
  options: DeliverOptions,
  realmId: number,
  rows: readonly DueRow[],
): Promise<RowsRead> {
  const { db } = options;
  const reader = new TextReader();
  const accounts = await loadAccounts(
    db,
    realmId,
    rows.map(({ senderId }) => senderId),
  );
  let names = 0;
  let spentMs = 0;
  let isFull = false;
  const read: Array<{ row: DueRow; parsed: ParsedMessage | undefined }> = [];
  await inSlices(rows, (row) => {
    if (isFull) return;
    const startedAt = performance.now();
    const isMessage = row.senderActive && !row.tooLate && !isReminder(row);
    const parsed = isMessage ? reader.readAhead(row.content) : undefined;
    const account = accounts.get(row.senderId);
    if (parsed && account && setting(account, "translate_emoticons"))
      reader.readAhead(row.content, true);
    names += parsed?.references.length ?? 0;
    spentMs += performance.now() - startedAt;
    isFull = names > maxNames || spentMs > maxParsingMs;
    if (!isFull || read.length === 0) read.push({ row, parsed });
  });
  const texts = read.flatMap(({ row, parsed }) =>
    parsed ? [{ parsed, authorId: row.senderId }] : [],
  );
  const { lookups, realm, memberships } = await loadRendering(db, realmId, options.site.url, texts);
  await inSlices(texts, ({ parsed, authorId }) => {
    const account = accounts.get(authorId);
    // A text that cannot be rendered is rejected by the check.
    if (account) attempt(() => renderFor({ realm, memberships, lookups }, parsed, account, reader));
  });
  await composeDue(
    { ...options, reader },
    db,
    realm,
    read.flatMap(({ row }) => (isReminder(row) && row.senderActive ? [row] : [])),
  );
  return { ids: read.map(({ row }) => row.id), reader };
}
