import { maxLinkifierInstructions, maxLinkifiers } from "@carillon/contract";
import { isPasswordHash } from "@carillon/domain";
import { linkifierProblem, patternSize } from "@carillon/markdown";
import type { NumberedRecord } from "@carillon/transfer";
import type pg from "pg";

import { ask } from "./connect.ts";
import { atLine } from "./journal.ts";
import type { Row } from "./map-record.ts";
import { RecordProblem } from "./new-ids.ts";

/** Maximum UTF-16 units of a text; enough for the longest message. */
const maxText = 100_000;

/** Columns that may have longer texts. */
const longTexts: ReadonlySet<string> = new Set(["bot_storage_parts.value"]);

/**
 * Checks values that PostgreSQL would take, but that could block the processes which use them: long texts, password
 * hashes with other costs, and costly linkifiers. Called in the transaction that stores the records.
 * @throws RecordProblem
 */
export async function checkRecords(
  { client, realmId }: { readonly client: pg.Client; readonly realmId: number },
  table: string,
  records: readonly NumberedRecord[],
): Promise<void> {
  for (const { record, line } of records) atLine(line, () => checkRecord(table, record));
  if (table !== "linkifiers" || records.length === 0) return;
  const there = await ask<{ pattern: string }>(
    client,
    "SELECT pattern FROM linkifiers WHERE realm_id = $1",
    [realmId],
  );
  let count = there.length;
  let size = there.reduce((sum, { pattern }) => sum + patternSize(pattern), 0);
  for (const { record, line } of records)
    atLine(line, () => {
      count++;
      size += linkifierSize(record);
      if (count > maxLinkifiers)
        throw new RecordProblem(
          `an organization cannot have more than ${maxLinkifiers} linkifiers`,
        );
      if (size > maxLinkifierInstructions)
        throw new RecordProblem(
          `the linkifiers of an organization cannot take more than ${maxLinkifierInstructions} instructions in all`,
        );
    });
}

function checkRecord(table: string, record: Row): void {
  for (const [column, value] of Object.entries(record))
    if (typeof value === "string" && value.length > maxText && !longTexts.has(`${table}.${column}`))
      throw new RecordProblem(`${column}: has more than ${maxText} characters`);
  const hash = table === "users" ? (record["password_hash"] ?? null) : null;
  if (hash !== null && !(typeof hash === "string" && isPasswordHash(hash)))
    throw new RecordProblem(
      "password_hash: is not a hash that a server of this version makes; without it, the account sets a password by mail",
    );
}

/**
 * Returns the number of instructions of a linkifier's pattern.
 * @throws RecordProblem for a linkifier that an administrator could not create
 */
function linkifierSize({ pattern, url_template: urlTemplate }: Row): number {
  if (typeof pattern !== "string" || typeof urlTemplate !== "string")
    throw new RecordProblem("needs pattern and url_template");
  const problem = linkifierProblem({ pattern, urlTemplate });
  if (problem !== undefined) throw new RecordProblem(problem);
  return patternSize(pattern);
}
