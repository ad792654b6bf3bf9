import { isPasswordHash } from "@carillon/domain";
import { linkifierProblem } from "@carillon/markdown";
import { hostOf, loadRealm } from "@carillon/model";
import type { NumberedRecord } from "@carillon/transfer";

import { ask } from "./connect.ts";
import { atLine, type Import } from "./journal.ts";
import type { Row } from "./map-record.ts";
import { RecordProblem } from "./new-ids.ts";

/** An import, and the label of its new address. */
type Addressed = Import & { readonly subdomain: string };

/** Maximum UTF-16 units of a text; enough for the longest message. */
const maxText = 100_000;

/** Columns that may have longer texts: stored data of bots, and texts that are cut when they are imported. */
const longTexts: ReadonlySet<string> = new Set([
  "bot_storage_parts.value",
  "drafts.content",
  "saved_snippets.content",
]);

/**
 * Checks values that PostgreSQL would take, but that could block the processes which use them: long texts, password
 * hashes with other costs, and costly linkifiers. Refuses what the end of the import could not store. Called in the
 * transaction that stores the records.
 * @throws RecordProblem
 */
export async function checkRecords(
  of: Addressed,
  table: string,
  records: readonly NumberedRecord[],
): Promise<void> {
  for (const { record, line } of records) atLine(line, () => checkRecord(table, record));
  if (table === "users") await checkAddresses(of, records);
}

/** Refuses addresses that the system bots get when the import ends. */
async function checkAddresses(
  { client, db, site, realmId, subdomain }: Addressed,
  records: readonly NumberedRecord[],
): Promise<void> {
  const host = hostOf(site, { ...(await loadRealm(db, realmId)), subdomain });
  const bots = await ask<{ kind: string }>(
    client,
    "SELECT system_bot_kind AS kind FROM users WHERE realm_id = $1 AND system_bot_kind IS NOT NULL",
    [realmId],
  );
  const taken = new Set(bots.map(({ kind }) => `${kind}-bot@${host}`.toLowerCase()));
  for (const { record, line } of records)
    atLine(line, () => {
      const { delivery_email: address, system_bot_kind: kind = null } = record;
      if (kind === null && taken.has(String(address).toLowerCase()))
        throw new RecordProblem(
          `delivery_email: ${String(address)} is the address of a system bot`,
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
  if (table === "linkifiers") checkLinkifier(record);
}

/** @throws RecordProblem for a linkifier that an administrator could not create */
function checkLinkifier({ pattern, url_template: urlTemplate }: Row): void {
  if (typeof pattern !== "string" || typeof urlTemplate !== "string")
    throw new RecordProblem("needs pattern and url_template");
  const problem = linkifierProblem({ pattern, urlTemplate });
  if (problem !== undefined) throw new RecordProblem(problem);
}
