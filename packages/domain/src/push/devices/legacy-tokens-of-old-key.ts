import { column, statement, type Tx } from "@carillon/db";
import { recordIntents } from "@carillon/outbox";
import { forgetLegacyTokens } from "@carillon/jobs";
import type { Account } from "@carillon/model";

const newest = statement({
  name: "legacy-push-token-newest",
  text: "SELECT id FROM legacy_push_tokens WHERE user_id = $1 ORDER BY id DESC LIMIT 1",
  row: { id: column.bigint },
});

/**
 * Writes down that the tokens which were stored with the account's old API key are to go (push.md §5); what is stored with
 * the new one is later, and stays.
 * @param account in the hands of the transaction
 */
export async function recordForgetting(tx: Tx, { id, realmId }: Account): Promise<void> {
  const last = await tx.first(newest, [id]);
  if (!last) return;
  await recordIntents(tx, realmId, forgetLegacyTokens, [
    { key: `${id}-${last.id}`, payload: { userId: id, upTo: last.id } },
  ]);
}
