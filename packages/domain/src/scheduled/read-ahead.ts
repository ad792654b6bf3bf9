import { loadAccounts, setting } from "@carillon/model";
import { inSlices } from "@carillon/kit";
import type { ParsedMessage } from "@carillon/markdown";

import { attempt } from "../messages/send/attempt.ts";
import { renderFor } from "../messages/send/check.ts";
import { loadRendering } from "../messages/send/mention-lookups.ts";
import { TextReader } from "../messages/send/text-reader.ts";
import { isReminder, type DueRow } from "./claim.ts";
import { composeDue } from "./compose-due.ts";
import type { DeliverOptions } from "./deliver.ts";

/** Rows whose texts have been read. */
export interface RowsRead {
  /** Of those given, from the first on, as many as go together. */
  readonly ids: readonly number[];
  readonly reader: TextReader;
}

/** Names that the texts of one batch have looked up, unless its first text has more. */
const mostNames = 2_000;

/** Time of the processor, in milliseconds, that reading the texts of one batch takes, unless its first text takes more. */
const mostReadingMs = 200;

/**
 * Reads the texts of due rows in slices, before any transaction holds the rows: parses them, and renders them once, so
 * that what an unknown name changes is parsed too. A transaction that sends them finds the texts read; one that has been
 * edited meanwhile it reads itself. Reading ends early where the texts are dear.
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
    const began = performance.now();
    const isRead = row.senderActive && !row.tooLate && !isReminder(row);
    const parsed = isRead ? reader.readAhead(row.content) : undefined;
    const account = accounts.get(row.senderId);
    if (parsed && account && setting(account, "translate_emoticons"))
      reader.readAhead(row.content, true);
    names += parsed?.references.length ?? 0;
    spentMs += performance.now() - began;
    isFull = names > mostNames || spentMs > mostReadingMs;
    if (!isFull || read.length === 0) read.push({ row, parsed });
  });
  const texts = read.flatMap(({ row, parsed }) =>
    parsed ? [{ parsed, authorId: row.senderId }] : [],
  );
  const { lookups, realm, memberships } = await loadRendering(db, realmId, options.site.url, texts);
  await inSlices(texts, ({ parsed, authorId }) => {
    const account = accounts.get(authorId);
    // What cannot be rendered is refused when it is checked.
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
