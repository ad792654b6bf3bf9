import { column, statement, type Sql } from "@carillon/db";
import type { Account } from "@carillon/model";

const ofAccount = statement({
  name: "alert-words-of-account",
  text: "SELECT word FROM alert_words WHERE realm_id = $1 AND user_id = $2 ORDER BY id",
  row: { word: column.text },
});

/** The words that the account wants to be told of, in the order of their adding. */
export async function listAlertWords(
  sql: Sql,
  { id, realmId }: Pick<Account, "id" | "realmId">,
): Promise<string[]> {
  return (await sql.rows(ofAccount, [realmId, id])).map(({ word }) => word);
}
