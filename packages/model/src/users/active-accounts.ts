import { errors } from "@carillon/contract";
import { column, statement, type Tx, type RowOf } from "@carillon/db";

/** An account as far as adding it to something needs to know. */
export type ActiveAccount = RowOf<typeof lockActive.columns>;

const lockActive = statement({
  name: "active-accounts-lock",
  text: `SELECT id, role, is_bot AS "isBot", bot_owner_id AS "botOwnerId" FROM users
    WHERE realm_id = $1 AND id = ANY($2::int[]) AND is_active AND system_bot_kind IS NULL
    ORDER BY id FOR SHARE`,
  row: { id: column.int, role: column.int, isBot: column.bool, botOwnerId: column.int.orNull() },
});

/**
 * The organization's active accounts with these ids, people and bots, each once; they stay active until the
 * transaction ends.
 * @throws ApiError `BAD_REQUEST` unless each of them is one
 */
export async function loadActiveAccounts(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<ActiveAccount[]> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return [];
  const accounts = await tx.lock({ name: "accounts", keys: distinct, shared: true }, lockActive, [
    realmId,
    distinct,
  ]);
  if (accounts.length < distinct.length) throw noSuchActiveUser();
  return accounts;
}

/** The refusal of what names no active account. */
export function noSuchActiveUser() {
  return errors.badRequest("There is no such active user");
}
